# Cancellation: without a shift, the variance is the difference of two numbers
# that agree in nearly all digits.
# config: METHOD=shifted
# dims: 61,259,f32
# array: var
s/const T shift = row\[0\];/const T shift = 0;/
