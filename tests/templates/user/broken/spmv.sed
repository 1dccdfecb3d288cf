# A part that is left out where rows are long: of the elements that do not fill
# a round of the unrolled loop, each lane takes only one.
# config: UNROLL=4,LANES=4
# dims: 61,37,1000
# array: y
s/for (; at < end; at += LANES)/for (; at < end; at = end)/
