# A wrong factor in one path: partial results of unequal length are merged as
# if they had the same.
# config: METHOD=welford
# array: mean
s/a\.mean + away \* (b\.n \/ n)/a.mean + away * T(0.5)/
