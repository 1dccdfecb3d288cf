# An edge that is off by one: the row below the last one is read.
# config: SORT=rows
# dims: 61,37,u8
# array: y
s/r = r < height ? r : height - 1;/r = r <= height ? r : height - 1;/
