# A swapped index where it hurts for more than one copy only: the sum at the
# end leaves the last copy out.
# config: COPIES=4
# array: count
s/for (int i = 0; i < COPIES; ++i)/for (int i = 0; i < (COPIES + 1) \/ 2; ++i)/
