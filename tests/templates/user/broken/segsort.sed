# A mistake among equals: two equal keys get the same place, and the place
# after it none.
# config: METHOD=rank
# dims: 61,37,i32
# array: x
s/place += row\[j\] < key || (row\[j\] == key && j < c);/place += row[j] < key;/
