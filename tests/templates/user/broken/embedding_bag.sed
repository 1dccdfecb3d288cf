# A swapped index in one path: the entries that are left over get the weight of
# the bag's first ones.
# config: UNROLL=2
# dims: 61,1000,37,16,0,1
# array: y
s/add(from\[index\[at\] \* packs + c\], at);/add(from[index[at] * packs + c], at - begin);/
