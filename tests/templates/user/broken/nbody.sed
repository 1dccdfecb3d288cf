# An edge: the last tile is filled up with the last body, which has a mass.
# config: SOURCE=shared_tile
# array: a
s/j0 + threadIdx.x < n ? body\[j0 + threadIdx.x\] : nobody/body[min(j0 + threadIdx.x, n - 1)]/
