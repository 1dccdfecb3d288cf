/* SPDX-License-Identifier: Apache-2.0 */
/* The cubin cache: what a key is made of, entries that appear whole or not at
 * all, one process at a time per key, leftovers of killed writers. */
#include "runtime/base/alloc.h"
#include "tuner/compile/cubin_cache.h"
#include "tuner/process/worker.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];
static char key[HONE_SHA256_HEX];

static const hone_compile_input sample_input = {
    "source", "name.cu", "sm_90", "--fmad=true\n", {1, "./h\0int a;", 11},
    "text"};

static const hone_toolchain nvrtc = {"nvrtc", "13.0", "00"};

static void key_of(const hone_compile_input *input,
                   const hone_toolchain *toolchain, char out[HONE_SHA256_HEX])
{
    assert_int_equal(hone__cache_key(input, toolchain, "", out, NULL), HONE_OK);
}

static void test_cache_key_depends_on_what_matters(void **state)
{
    static const hone_toolchain toolchains[] = {{"c++", "13.0", "00"},
                                                {"nvrtc", "13.1", "00"},
                                                {"nvrtc", "13.0", "01"}};
    char base[HONE_SHA256_HEX], other[HONE_SHA256_HEX];
    hone_compile_input changed[4];

    (void)state;
    key_of(&sample_input, &nvrtc, base);
    for (size_t i = 0; i < 4; ++i)
        changed[i] = sample_input;
    changed[0].name = "other.cu"; /* a copied cache must still hit */
    changed[0].text = "other";    /* what is compiled of it is the same */
    key_of(&changed[0], &nvrtc, other);
    assert_string_equal(base, other);
    changed[0].source = "sourcf";
    changed[1].options = "--fmad=false\n";
    changed[2].arch = "sm_90a";
    changed[3].headers.bytes = "./h\0int b;";
    for (size_t i = 0; i < 4; ++i) {
        key_of(&changed[i], &nvrtc, other);
        assert_string_not_equal(base, other);
    }
    for (size_t i = 0; i < 3; ++i) {
        key_of(&sample_input, &toolchains[i], other);
        assert_string_not_equal(base, other);
    }
    assert_int_equal(hone__cache_key(&sample_input, &nvrtc, "02", other, NULL),
                     HONE_OK);
    assert_string_not_equal(base, other);
}

/* Never the key of a part. */
static void test_cache_key_needs_memory(void **state)
{
    char other[HONE_SHA256_HEX] = "";
    long n = 0;

    (void)state;
    for (;; ++n) {
        hone_status status;

        hone__alloc_fail_after(n);
        status = hone__cache_key(&sample_input, &nvrtc, "", other, NULL);
        hone__alloc_fail_after(-1);
        if (status == HONE_OK)
            break;
        assert_int_equal(status, HONE_ERR_NO_MEMORY);
        assert_string_equal(other, "");
    }
    assert_true(n > 0);
    assert_string_equal(other, key);
}

/* A toolkit of the same version with other headers is another compiler. */
static void test_digest_covers_headers_of_cuda(void **state)
{
    hone_nvrtc table = {.version_major = 13};
    hone_toolchain first, second;
    char path[128];

    (void)state;
    (void)snprintf(table.includes, sizeof table.includes, "%s", folder);
    (void)snprintf(path, sizeof path, "%s/mma.h", folder);
    assert_int_equal(hone__file_replace(path, "m", 1, NULL), HONE_OK);
    (void)snprintf(path, sizeof path, "%s/cuda_fp16.h", folder);
    assert_int_equal(hone__nvrtc_toolchain(&table, &first, NULL), HONE_ERR_IO);
    assert_int_equal(hone__file_replace(path, "a", 1, NULL), HONE_OK);
    assert_int_equal(hone__nvrtc_toolchain(&table, &first, NULL), HONE_OK);
    assert_int_equal(hone__nvrtc_toolchain(&table, &second, NULL), HONE_OK);
    assert_string_equal(first.digest, second.digest);
    assert_int_equal(hone__file_replace(path, "b", 1, NULL), HONE_OK);
    assert_int_equal(hone__nvrtc_toolchain(&table, &second, NULL), HONE_OK);
    assert_string_not_equal(first.digest, second.digest);
}

static int make_folder(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/hone-cache-XXXXXX");
    key_of(&sample_input, &nvrtc, key);
    return !mkdtemp(folder) || hone__cache_prepare(folder, NULL) != HONE_OK;
}

static int remove_folder(void **state)
{
    char command[96];

    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* Path of the entry. */
static const char *entry(void)
{
    static char path[256];

    (void)snprintf(path, sizeof path, "%s/%.2s/%s", folder, key, key);
    return path;
}

static int64_t count_files(const char *where)
{
    char command[128];
    long n = -1;
    FILE *pipe;

    (void)snprintf(command, sizeof command, "find %s/%s -type f | wc -l",
                   folder, where);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_int_equal(fscanf(pipe, "%ld", &n), 1);
    (void)pclose(pipe);
    return n;
}

static void test_keeps_an_entry(void **state)
{
    hone_compile_output in = {.ok = 1, .registers = 40, .spill_bytes = 8};
    hone_compile_output out;

    (void)state;
    assert_int_equal(hone__cache_load(folder, key, &out, NULL),
                     HONE_ERR_NOT_FOUND);
    hone__text_append(&in.cubin,
                      "\x7f"
                      "ELF\0more",
                      9);
    hone__text_puts(&in.log,
                    "ptxas info : (C7510) Potential Performance Loss\n");
    assert_int_equal(hone__cache_store(folder, key, &in, NULL), HONE_OK);
    assert_int_equal(hone__cache_load(folder, key, &out, NULL), HONE_OK);
    assert_true(out.cached && out.ok);
    assert_int_equal(out.registers, 40);
    assert_int_equal(out.spill_bytes, 8);
    assert_int_equal(out.cubin.length, 9);
    assert_memory_equal(out.cubin.data, in.cubin.data, 9);
    assert_string_equal(out.warnings, "C7510"); /* follows from the log */
    hone__compile_output_free(&out);
    hone__compile_output_free(&in);
    assert_int_equal(count_files("tmp"), 0);
}

/* Every kind of damage makes an entry none; it can be written again. */
static void test_damaged_entry_is_none(void **state)
{
    hone_compile_output in = {.ok = 1, .registers = 40};
    hone_compile_output out;
    struct stat status;

    (void)state;
    for (int i = 0; i < 300; ++i)
        hone__text_puts(&in.cubin, "0123456789");
    for (int kind = 0; kind < 4; ++kind) {
        FILE *file;

        assert_int_equal(hone__cache_store(folder, key, &in, NULL), HONE_OK);
        assert_int_equal(hone__cache_load(folder, key, &out, NULL), HONE_OK);
        assert_int_equal(out.cubin.length, 3000);
        hone__compile_output_free(&out);
        assert_int_equal(stat(entry(), &status), 0);
        if (kind < 2) { /* a byte of the body, of the head */
            file = fopen(entry(), "r+b");
            assert_non_null(file);
            assert_int_equal(fseek(file, kind ? 3 : 2000, SEEK_SET), 0);
            (void)fputc('!', file);
            (void)fclose(file);
        } else { /* cut short, empty */
            assert_int_equal(
                truncate(entry(), kind == 2 ? status.st_size - 1 : 0), 0);
        }
        assert_int_equal(hone__cache_load(folder, key, &out, NULL),
                         HONE_ERR_NOT_FOUND);
    }
    hone__compile_output_free(&in);
}

/* An entry as the first version wrote it, byte by byte. */
static void test_reads_old_entries(void **state)
{
    static const char log[] = "(C7508) Potential Performance Loss";
    hone_text body = {0}, file = {0};
    char sum[HONE_SHA256_HEX], path[96];
    hone_compile_output out;

    (void)state;
    hone__pack_i64(&body, 1);  /* ok */
    hone__pack_i64(&body, 77); /* registers */
    hone__pack_i64(&body, 16); /* spills */
    hone__pack_i64(&body, 48); /* static shared */
    hone__pack_i64(&body, 0);
    hone__pack_f64(&body, 12.5);
    hone__pack_bytes(&body, "cubin", 5);
    hone__pack_bytes(&body, log, sizeof log - 1);
    hone__sha256_hex(body.data, body.length, sum);
    hone__text_puts(&file, "hone-cubin 1\n");
    hone__text_append(&file, sum, sizeof sum);
    hone__text_append(&file, body.data, body.length);
    (void)snprintf(path, sizeof path, "%s/%.2s", folder, key);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(hone__file_replace(entry(), file.data, file.length, NULL),
                     HONE_OK);
    assert_int_equal(hone__cache_load(folder, key, &out, NULL), HONE_OK);
    assert_int_equal(out.registers, 77);
    assert_string_equal(out.warnings, "C7508");
    assert_false(out.timed_out || out.crashed || out.out_of_memory);
    hone__compile_output_free(&out);
    hone__text_free(&body);
    hone__text_free(&file);
}

/* ---- several processes ------------------------------------------------- */

static int hold_lock(void *user, int from_parent, int to_parent)
{
    hone_text none = {0};
    uint32_t kind;
    int lock = -1;

    (void)user;
    lock = hone__cache_lock(folder, key, 60);
    (void)hone__message_send(to_parent, lock >= 0, &none, NULL);
    (void)hone__message_receive(from_parent, &kind, &none, NULL);
    return 0;
}

static void test_lock_is_for_one_process(void **state)
{
    char another[HONE_SHA256_HEX];
    hone_text none = {0};
    hone_worker holder;
    uint32_t has_it = 0;
    int lock = -1;

    (void)state;
    assert_int_equal(hone__worker_start(&holder, hold_lock, NULL, -1, NULL),
                     HONE_OK);
    assert_int_equal(hone__message_receive(holder.from, &has_it, &none, NULL),
                     HONE_OK);
    assert_int_equal(has_it, 1);
    lock = hone__cache_lock(folder, key, 0.03); /* patience ends */
    assert_int_equal(lock, -1);
    memcpy(another, key, sizeof another);
    another[12] = another[12] == '0' ? '1' : '0';
    lock = hone__cache_lock(folder, another, 0.03);
    assert_true(lock >= 0);
    hone__cache_unlock(lock);
    (void)kill(holder.pid, SIGKILL); /* its lock goes with it */
    lock = hone__cache_lock(folder, key, 60);
    assert_true(lock >= 0);
    hone__cache_unlock(lock);
    (void)hone__worker_stop(&holder, 5, NULL, 0);
    assert_int_equal(count_files("tmp"), 0);
    assert_int_equal(count_files(""), 2); /* the tag and one lock file */
}

static void test_no_folder_no_lock(void **state)
{
    int lock = 7;

    (void)state;
    lock = hone__cache_lock("no/such/folder", key, 30);
    assert_int_equal(lock, -1);
}

enum { ENTRY_BYTES = 300000, N_STORES = 25 };

/* Stores entries whose bytes all say the same number. */
static int write_entries(void *user, int from_parent, int to_parent)
{
    const int *first = user;
    char *bytes = malloc(ENTRY_BYTES);

    (void)from_parent;
    (void)to_parent;
    for (int i = 0; bytes && i < N_STORES; ++i) {
        hone_compile_output output = {.ok = 1, .registers = *first + i};

        memset(bytes, *first + i, ENTRY_BYTES);
        hone__text_append(&output.cubin, bytes, ENTRY_BYTES);
        if (hone__cache_store(folder, key, &output, NULL) != HONE_OK)
            return 1;
        hone__compile_output_free(&output);
    }
    free(bytes);
    return 0;
}

static void check_whole(const hone_compile_output *output)
{
    assert_int_equal(output->cubin.length, ENTRY_BYTES);
    for (size_t i = 0; i < ENTRY_BYTES; i += 997)
        assert_int_equal((unsigned char)output->cubin.data[i],
                         output->registers);
}

static void test_readers_never_see_a_part(void **state)
{
    int first[3] = {1, 81, 161};
    hone_worker writers[3];
    int n_seen = 0;

    (void)state;
    for (int i = 0; i < 3; ++i)
        assert_int_equal(
            hone__worker_start(&writers[i], write_entries, &first[i], -1, NULL),
            HONE_OK);
    for (int n_left = 3; n_left;) {
        hone_compile_output output;

        if (hone__cache_load(folder, key, &output, NULL) == HONE_OK) {
            ++n_seen;
            check_whole(&output);
            hone__compile_output_free(&output);
        } else {
            assert_int_equal(n_seen, 0); /* never gone again */
        }
        n_left = 0;
        for (int i = 0; i < 3; ++i) {
            siginfo_t info = {.si_pid = 0};

            (void)waitid(P_PID, (id_t)writers[i].pid, &info,
                         WEXITED | WNOHANG | WNOWAIT);
            n_left += info.si_pid == 0;
        }
    }
    /* All may have been written between two looks. */
    {
        hone_compile_output output;

        assert_int_equal(hone__cache_load(folder, key, &output, NULL), HONE_OK);
        check_whole(&output);
        hone__compile_output_free(&output);
    }
    for (int i = 0; i < 3; ++i)
        assert_int_equal(hone__worker_stop(&writers[i], 60, NULL, 0),
                         HONE_WORKER_LEFT);
    assert_int_equal(count_files("tmp"), 0);
}

/* ---- leftovers --------------------------------------------------------- */

static void leave(const char *name, int age_s)
{
    const struct timespec when = {time(NULL) - age_s, 0};
    const struct timespec times[2] = {when, when};
    char path[128];

    (void)snprintf(path, sizeof path, "%s/tmp/%s", folder, name);
    assert_int_equal(hone__file_replace(path, "part", 4, NULL), HONE_OK);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static int mode_of(const char *name)
{
    char path[256];
    struct stat status;

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(stat(path, &status), 0);
    return (int)(status.st_mode & 0777);
}

/* A cache of a group is written to by all of it, one's own by nobody else. */
static void test_whose_it_is(void **state)
{
    static const int modes[] = {0770, 0777, 0750, 0700};
    const mode_t before = umask(077);

    (void)state;
    for (int i = 0; i < 4; ++i) {
        const hone_compile_output output = {.registers = 7};
        const int more = i == 1 ? 077 : i == 0 ? 070 : 0;
        char command[128], part[8], entry[80];

        (void)snprintf(part, sizeof part, "%.2s", key);
        (void)snprintf(entry, sizeof entry, "%.2s/%s", key, key);
        (void)snprintf(command, sizeof command, "rm -rf '%s'/*", folder);
        assert_int_equal(system(command), 0);
        assert_int_equal(chmod(folder, (mode_t)modes[i]), 0);
        hone__cache_unlock(hone__cache_lock(folder, key, 1));
        assert_int_equal(hone__cache_store(folder, key, &output, NULL),
                         HONE_OK);
        hone__cache_keep_below(folder, 1 << 20);
        assert_int_equal(mode_of("lock"), 0600 | (more & 066));
        assert_int_equal(mode_of("trimmed"), 0600 | (more & 066));
        assert_int_equal(mode_of("tmp"), 0700 | more);
        assert_int_equal(mode_of(part), 0700 | more);
        assert_int_equal(mode_of(entry), 0644 | (more & 066));
    }
    (void)umask(before);
}

static void test_sweeps_old_leftovers(void **state)
{
    char path[128];

    (void)state;
    (void)snprintf(path, sizeof path, "%s/tmp", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    leave("killed", 2 * 3600);
    leave("writing", 60);
    assert_int_equal(hone__cache_prepare(folder, NULL), HONE_OK);
    (void)snprintf(path, sizeof path, "%s/tmp/killed", folder);
    assert_int_not_equal(access(path, F_OK), 0);
    (void)snprintf(path, sizeof path, "%s/tmp/writing", folder);
    assert_int_equal(access(path, F_OK), 0);
}

#define IN_FOLDER(test)                                                        \
    cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cache_key_depends_on_what_matters),
        cmocka_unit_test_setup_teardown(test_cache_key_needs_memory,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_digest_covers_headers_of_cuda,
                                        make_folder, remove_folder),
        IN_FOLDER(test_keeps_an_entry),
        IN_FOLDER(test_damaged_entry_is_none),
        IN_FOLDER(test_reads_old_entries),
        IN_FOLDER(test_lock_is_for_one_process),
        cmocka_unit_test(test_no_folder_no_lock),
        IN_FOLDER(test_whose_it_is),
        IN_FOLDER(test_readers_never_see_a_part),
        IN_FOLDER(test_sweeps_old_leftovers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
