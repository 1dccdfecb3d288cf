# A mistake among equals: two equal keys get the same place, and the place
# after it none.
# config: METHOD=rank
# array: x
s/place += row\[j\] < key || (row\[j\] == key && j < c);/place += row[j] < key;/
