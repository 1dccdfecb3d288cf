/* SPDX-License-Identifier: Apache-2.0 */
/* fill_memory LEFT: takes the memory of the first GPU until LEFT MiB of it
 * are free, says so in one line, and holds it until it is killed or its
 * parent ends. Plain allocations only. Exit 77: no GPU. */
#include "runtime/driver/driver.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { MIB = 1 << 20, LEAST_MIB = 2, MOST_MIB = 1024 };

static long long free_mib(const hone_driver *driver)
{
    size_t free_bytes = 0, total_bytes = 0;

    if (driver->memory_info(&free_bytes, &total_bytes))
        return -1;
    return (long long)(free_bytes / MIB);
}

/* Blocks of up to 1 GiB, smaller ones for what is left. */
static long long fill(const hone_driver *driver, long long left_mib)
{
    long long taken_mib = 0;
    long long block_mib = MOST_MIB;

    while (block_mib >= LEAST_MIB) {
        const long long room_mib = free_mib(driver) - left_mib;
        hone_cu_ptr block = 0;

        if (block_mib <= room_mib &&
            !driver->memory_alloc(&block, (size_t)block_mib * MIB))
            taken_mib += block_mib;
        else
            block_mib /= 2;
    }
    return taken_mib;
}

int main(int argc, char **argv)
{
    const long long left_mib = argc == 2 ? atoll(argv[1]) : -1;
    const hone_driver *driver = NULL;
    hone_cu_context context = NULL;
    hone_cu_device device = 0;
    hone_error err = {0};
    int n_devices = 0;
    long long taken_mib;

    if (left_mib < 0) {
        (void)fprintf(stderr, "usage: fill_memory LEFT_MIB\n");
        return 2;
    }
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (hone__cuda_get(&driver, &err) != HONE_OK ||
        driver->device_count(&n_devices) || n_devices < 1)
        return 77;
    if (driver->device_get(&device, 0) ||
        driver->primary_retain(&context, device) ||
        driver->context_set(context)) {
        (void)fprintf(stderr, "fill_memory: no context on the first GPU\n");
        return 1;
    }
    taken_mib = fill(driver, left_mib);
    (void)printf("%lld MiB taken, %lld MiB free\n", taken_mib,
                 free_mib(driver));
    (void)fflush(stdout);
    for (;;)
        (void)pause();
}
