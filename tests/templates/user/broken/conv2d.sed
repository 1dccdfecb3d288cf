# An edge that is off by one: the last column of the tile's rim is not loaded.
# config: INPUT=tile
# dims: 61,37,5
# array: y
s/j < WIDE + 2 \* RIM; j += WIDE/j < WIDE + 2 * RIM - 1; j += WIDE/
