# A swapped index in one path: a transposed B is read as if it had N columns.
# config: PAD=1
# dims: 64,64,64,0,1
# array: C
s/TRANS_B ? c \* K + r : r \* N + c/TRANS_B ? c * N + r : r * N + c/
