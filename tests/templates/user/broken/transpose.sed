# A missing barrier: a thread reads of the tile what another one may not have
# written yet.
# config: TILE=64,STEP=4
# dims: 61,37,f32
# array: B
s/^    __syncthreads();$//
