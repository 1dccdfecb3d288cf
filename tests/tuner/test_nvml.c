/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of clocks and power against a library with NVML's symbols. */
#include "runtime/base/alloc.h"
#include "tests/tuner/fake_driver.h"
#include "tuner/cuda/cuda_device.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FAKE_NVML HONE_FAKES "/libfake_nvml.so"
#define UUID "00010203-0405-0607-0809-0a0b0c0d0e0f"

static int (*nvml_users)(void);

static int setup(void **state)
{
    (void)state;
    setenv("HONE_NVML_LIBRARY", FAKE_NVML, 1);
    setenv("FAKE_NVML_UUID", "GPU-" UUID, 1);
    unsetenv("FAKE_NVML_PCI");
    unsetenv("FAKE_NVML_INIT");
    unsetenv("FAKE_NVML_REASONS");
    unsetenv("FAKE_NVML_MUTE");
    return 0;
}

static hone_nvml *open_monitor(void)
{
    hone_nvml *nvml = NULL;
    hone_error err = {0};

    assert_int_equal(hone__nvml_open(&fake_driver, 0, &nvml, &err), HONE_OK);
    assert_non_null(nvml);
    return nvml;
}

static void assert_nothing(const hone_clocks *s)
{
    assert_int_equal(s->available, 0);
    assert_int_equal(s->sm_clock_mhz, -1);
    assert_int_equal(s->memory_clock_mhz, -1);
    assert_int_equal(s->power_mw, -1);
    assert_int_equal(s->temperature_c, -1);
    assert_true(s->clock_reasons == -1);
    assert_int_equal(hone__clock_discard_bits(s->clock_reasons), 0);
}

static void assert_values(hone_nvml *nvml, int64_t reasons)
{
    hone_clocks s;

    hone__nvml_sample(nvml, &s);
    assert_int_equal(s.available, 1);
    assert_int_equal(s.sm_clock_mhz, 1980);
    assert_int_equal(s.memory_clock_mhz, 3201);
    assert_int_equal(s.power_mw, 654321);
    assert_int_equal(s.temperature_c, 61);
    assert_true(s.clock_reasons == reasons);
    assert_string_equal(hone__nvml_reason(nvml), "");
}

/* Silent monitors say why, with `words`. */
static void assert_silent(const char *words)
{
    hone_nvml *const nvml = open_monitor();
    hone_clocks s;

    hone__nvml_sample(nvml, &s);
    assert_nothing(&s);
    if (!strstr(hone__nvml_reason(nvml), words))
        fail_msg("'%s' does not say '%s'", hone__nvml_reason(nvml), words);
    hone__nvml_close(nvml);
    assert_int_equal(nvml_users(), 0);
}

static void test_values(void **state)
{
    hone_nvml *nvml;

    (void)state;
    setenv("FAKE_NVML_REASONS", "0x4", 1);
    nvml = open_monitor();
    assert_values(nvml, 4);
    assert_int_equal(nvml_users(), 1);
    hone__nvml_close(nvml);
    assert_int_equal(nvml_users(), 0);
}

static void test_matching(void **state)
{
    hone_nvml *nvml;

    (void)state;
    setenv("FAKE_NVML_UUID", "MIG-" UUID, 1);
    nvml = open_monitor();
    assert_values(nvml, 0);
    hone__nvml_close(nvml);
    setenv("FAKE_NVML_UUID", "GPU-ffffffff-0405-0607-0809-0a0b0c0d0e0f", 1);
    assert_silent("GPU-" UUID);
    setenv("FAKE_NVML_PCI", "00000000:c1:02.0", 1);
    nvml = open_monitor();
    assert_values(nvml, 0);
    hone__nvml_close(nvml);
}

static void test_absent(void **state)
{
    hone_nvml *nvml = NULL;
    hone_clocks s;
    hone_error err = {0};

    (void)state;
    setenv("HONE_NVML_LIBRARY", "/nonexistent/libnvidia-ml.so.1", 1);
    assert_silent("/nonexistent/libnvidia-ml.so.1");
    setenv("HONE_NVML_LIBRARY", HONE_FAKES "/libfake_baselines.so", 1);
    assert_silent("nvmlInit_v2");
    setup(NULL);
    setenv("FAKE_NVML_INIT", "9", 1);
    assert_silent("Driver Not Loaded");
    hone__nvml_sample(NULL, &s);
    assert_nothing(&s);
    assert_true(strlen(hone__nvml_reason(NULL)) > 0);
    hone__nvml_close(NULL);
    hone__alloc_fail_after(0);
    assert_int_equal(hone__nvml_open(&fake_driver, 0, &nvml, &err),
                     HONE_ERR_NO_MEMORY);
    hone__alloc_fail_after(-1);
    assert_null(nvml);
}

/* A device whose UUID the driver does not tell: where it is says who it is,
 * here and to NVML. */
static void test_no_uuid(void **state)
{
    hone_device device = {.driver = &fake_driver, .ordinal = 1};
    hone_device_report report = {0};
    hone_nvml *nvml = NULL;
    hone_error err = {0};
    hone_clocks s;

    (void)state;
    hone__cuda_device.describe(&device, &report);
    assert_string_equal(report.id, "pci-00000000:c1:02.0");
    setenv("FAKE_NVML_UUID", "GPU-00000000-0000-0000-0000-000000000000", 1);
    assert_int_equal(hone__nvml_open(&fake_driver, 1, &nvml, &err), HONE_OK);
    hone__nvml_sample(nvml, &s);
    assert_nothing(&s);
    assert_non_null(strstr(hone__nvml_reason(nvml), "00000000:c1:02.0"));
    hone__nvml_close(nvml);
    setenv("FAKE_NVML_PCI", "00000000:c1:02.0", 1);
    assert_int_equal(hone__nvml_open(&fake_driver, 1, &nvml, &err), HONE_OK);
    assert_values(nvml, 0);
    hone__nvml_close(nvml);
}

static void assert_no_nvml(const char *words)
{
    char path[1024];
    hone_error err = {0};

    assert_int_equal(hone__nvml_look(path, &err), HONE_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, words));
    assert_int_equal(nvml_users(), 0);
}

/* For `hone doctor`: what would be loaded, and would it start? */
static void test_look(void **state)
{
    char path[1024] = "";
    hone_error err = {0};

    (void)state;
    assert_int_equal(hone__nvml_look(path, &err), HONE_OK);
    assert_non_null(strstr(path, HONE_FAKES "/"));
    assert_int_equal(nvml_users(), 0);
    setenv("FAKE_NVML_INIT", "9", 1);
    assert_no_nvml("Driver Not Loaded");
    setenv("HONE_NVML_LIBRARY", HONE_FAKES "/libfake_baselines.so", 1);
    assert_no_nvml("nvmlInit_v2");
    setenv("HONE_NVML_LIBRARY", "/nonexistent/libnvidia-ml.so.1", 1);
    assert_no_nvml("/nonexistent/libnvidia-ml.so.1");
}

static void test_mute_device(void **state)
{
    hone_nvml *nvml;
    hone_clocks s;

    (void)state;
    setenv("FAKE_NVML_MUTE", "1", 1);
    nvml = open_monitor();
    hone__nvml_sample(nvml, &s);
    assert_nothing(&s);
    hone__nvml_close(nvml);
}

static void test_reason_text(void **state)
{
    static const struct {
        int64_t bits;
        const char *text;
        int discard;
    } rows[] = {
        {-1, "unknown", 0},
        {0, "none", 0},
        {0x1, "idle", 0},
        {0x4, "software power cap", 0},
        {0x8, "hardware slowdown", 1},
        {0x24, "software power cap, software thermal slowdown", 1},
        {0x40, "hardware thermal slowdown", 1},
        {0x80, "hardware power brake", 1},
        {0x104, "software power cap, display clock setting", 0},
        {0x113,
         "idle, application clocks setting, sync boost, display clock "
         "setting",
         0},
        {0x1004, "software power cap, 0x1000", 0},
        {0x2000, "0x2000", 0},
    };
    char text[128];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        hone__clock_reasons_text(rows[i].bits, text, sizeof text);
        assert_string_equal(text, rows[i].text);
        assert_int_equal(hone__clock_discard_bits(rows[i].bits) != 0,
                         rows[i].discard);
    }
    memset(text, 'x', sizeof text);
    hone__clock_reasons_text(0x1ff, text, 12);
    assert_string_equal(text, "idle, appli");
    assert_int_equal(text[12], 'x');
}

static void test_energy(void **state)
{
    hone_nvml *const nvml = open_monitor();
    int64_t mj = -1;

    (void)state;
    assert_int_equal(hone__nvml_energy(nvml, &mj), 0);
    assert_int_equal(hone__nvml_energy(NULL, &mj), 0);
    assert_int_equal(mj, -1);
    setenv("FAKE_NVML_ENERGY", "123456789012", 1);
    assert_int_equal(hone__nvml_energy(nvml, &mj), 1);
    assert_true(mj == 123456789012);
    setenv("FAKE_NVML_MUTE", "1", 1);
    assert_int_equal(hone__nvml_energy(nvml, &mj), 0);
    unsetenv("FAKE_NVML_ENERGY");
    hone__nvml_close(nvml);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_values, setup),
        cmocka_unit_test_setup(test_matching, setup),
        cmocka_unit_test_setup(test_absent, setup),
        cmocka_unit_test_setup(test_no_uuid, setup),
        cmocka_unit_test_setup(test_look, setup),
        cmocka_unit_test_setup(test_mute_device, setup),
        cmocka_unit_test_setup(test_energy, setup),
        cmocka_unit_test(test_reason_text),
    };
    /* Held open, so that its counter outlives the monitors. */
    void *const library = dlopen(FAKE_NVML, RTLD_NOW | RTLD_LOCAL);

    if (!library)
        return 1;
    *(void **)&nvml_users = dlsym(library, "fake_nvml_users");
    return nvml_users ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
