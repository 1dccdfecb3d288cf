// SPDX-License-Identifier: Apache-2.0
// saxpy with variants that spoil memory, or are right only sometimes. KIND
// good is right; every other KIND has one defect, after which it is named.
// good is the last, so that it meets what the others left behind.
//   neighbour        writes far behind y, into the middle of z
//   behind           writes one element behind y
//   reads_behind     reads one element behind x, and multiplies it by 0
//   reads_neighbour  reads one element of z in the place of one of x
//   input_changed    leaves x changed
//   earlier_array    writes to an array of the run before, which this run was
//                    not given: the next variant would pay for it
//   second_run       right in its first run, wrong in the second
//   later_run        right in its first six runs: while it is looked at
//   odd_sizes        NaN where n is odd: right at the even n it is tuned for
//   huge_workspace   asks for twice the device's memory
//   large_workspace  asks for nearly all of it, which nobody ever gets
#pragma hone op planted_memory(n, T in {f32} default f32) "y = alpha*x + y, with variants that spoil memory"
#pragma hone arg alpha: T, x: in T[n], y: inout T[n], z: in T[n]
#pragma hone param KIND in {neighbour, behind, reads_behind, reads_neighbour, input_changed, earlier_array, second_run, later_run, odd_sizes, huge_workspace, large_workspace, good} default good
#pragma hone param VEC in {1, 2, 4}
#pragma hone require KIND == good || VEC == 1 "one of each defect"
#pragma hone workspace more: u8[KIND == huge_workspace ? 2*device.memory : KIND == large_workspace ? device.memory - 64M : 0]
#pragma hone launch planted_memory grid(ceildiv(n, 256*VEC)) block(256) args(alpha, x, y, z, more, i64(n))
#pragma hone work flops(2*n) bytes(3*n*sizeof(T))
#pragma hone check cpu.saxpy tolerance(4) exact(8)

#if HONE_KIND == HONE_KIND_earlier_array
__device__ T *of_earlier_run;
#elif HONE_KIND == HONE_KIND_second_run || HONE_KIND == HONE_KIND_later_run
__device__ int n_runs;
#endif

extern "C" __global__ void planted_memory(T alpha, const T *x, T *y,
                                          const T *z, unsigned char *more,
                                          long long n)
{
    const long long first = (blockIdx.x * 256ll + threadIdx.x) * VEC;
    T error = T(0);

#if HONE_KIND == HONE_KIND_second_run || HONE_KIND == HONE_KIND_later_run
    if (blockIdx.x == 0) {
        const int run = *(volatile int *)&n_runs;

        error = T(KIND == KIND_values::second_run ? run == 1 : run >= 6);
        __syncthreads();
        if (threadIdx.x == 0)
            n_runs = run + 1;
    }
#elif HONE_KIND == HONE_KIND_odd_sizes
    if (n % 2)
        error = T(1e30) * T(1e30) * T(0);
#elif HONE_KIND == HONE_KIND_large_workspace
    more[first] = 1;
#endif
    for (int k = 0; k < VEC; ++k) {
        const long long i = first + k;

#if HONE_KIND == HONE_KIND_reads_behind
        if (i == n - 1)
            error = x[n] * T(0);
#elif HONE_KIND == HONE_KIND_reads_neighbour
        if (i == n / 2)
            error = alpha * (x[i + (z - x)] - x[i]);
#endif
        if (i < n)
            y[i] = alpha * x[i] + y[i] + error;
#if HONE_KIND == HONE_KIND_neighbour
        if (i == n / 2)
            y[i + (z - y)] = T(7);
#elif HONE_KIND == HONE_KIND_behind
        if (i == n - 1)
            y[n] = T(7);
#elif HONE_KIND == HONE_KIND_input_changed
        if (i == n / 3)
            ((T *)x)[i] += T(1);
#elif HONE_KIND == HONE_KIND_earlier_array
        if (i == n / 2) {
            if (of_earlier_run && of_earlier_run != x)
                of_earlier_run[0] = T(1) + of_earlier_run[0];
            of_earlier_run = (T *)x;
        }
#endif
    }
}
