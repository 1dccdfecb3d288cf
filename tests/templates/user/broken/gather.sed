# A wrong factor in one path: with vectors the entry's place is counted in
# numbers and not in packs.
# config: VEC=2
# dims: 61,37,16,f32
# array: y
s/from\[index\[at \/ packs\] \* packs/from[index[at \/ packs] * width/
