# A wrong factor in one path: `online` forgets to scale its sum down when a
# larger element comes.
# config: FORM=online
# dims: 131,1033,f32
# array: y
/if (p.v\[j\] > largest) {/,/}/ s/^.*sum \*= power_of_e.*$//
