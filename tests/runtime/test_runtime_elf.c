/* SPDX-License-Identifier: Apache-2.0 */
/* Cubins and objects that are no whole ELF files: each word of the headers,
 * sections, symbols and relocations made wrong, each length. None reaches the
 * driver or the dynamic loader. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/base/text.h"
#include "runtime/driver/driver.h"
#include "runtime/driver/code_check.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

static hone_text cubin, object;

static int read_files(void **state)
{
    (void)state;
    return hone__text_read_file(&cubin, CUBIN, NULL) != HONE_OK ||
           hone__text_read_file(&object, HOST_KERNELS_0, NULL) != HONE_OK;
}

static int free_files(void **state)
{
    (void)state;
    hone__text_free(&cubin);
    hone__text_free(&object);
    return 0;
}

/* The check of bytes that end where their block does: what reads behind them
 * is seen by AddressSanitizer. */
static const char *check(const char *bytes, size_t n_bytes, int machine)
{
    char *const exact = malloc(n_bytes);
    const char *reason;

    assert_non_null(exact);
    memcpy(exact, bytes, n_bytes);
    reason = hone__elf_check(exact, n_bytes, machine);
    free(exact);
    return reason;
}

static void whole_ones(void **state)
{
    static const char ptx[] = ".version 8.0\n\t.target sm_90 // \xc3\xa4\n";
    static const char container[] = "\x50\xed\x55\xba\x01\x00\x10";

    (void)state;
    assert_null(hone__code_check(cubin.data, cubin.length));
    assert_null(check(object.data, object.length, 0));
    assert_null(hone__code_check(ptx, sizeof ptx)); /* with its NUL */
    assert_non_null(hone__code_check(object.data, object.length));
    assert_string_equal(hone__code_check(container, sizeof container),
                        "it is neither a cubin nor PTX");
}

/* Everything that is cut off is missed: the section headers are the last in an
 * object, the program headers in a cubin. */
static void every_length(void **state)
{
    (void)state;
    for (size_t n = 1; n < cubin.length; ++n)
        assert_non_null(check(cubin.data, n, HONE_ELF_CUDA));
    for (size_t n = 1; n < object.length; n += 7)
        assert_non_null(check(object.data, n, 0));
}

/* ---- wrong words --------------------------------------------------------- */

typedef struct place {
    size_t at;
    size_t n_bytes;
    const char *what;
} place;

static Elf64_Ehdr header;

static Elf64_Shdr section(unsigned index)
{
    Elf64_Shdr out;

    memcpy(&out, cubin.data + header.e_shoff + index * sizeof out, sizeof out);
    return out;
}

/* The first section of this type that has something in it. */
static unsigned find(unsigned type)
{
    for (unsigned i = 1; i < header.e_shnum; ++i) {
        if (section(i).sh_type == type && section(i).sh_size)
            return i;
    }
    fail_msg("the cubin has no section of type %u", type);
    return 0;
}

/* All bits set: it leads out of whatever it leads into. */
static void make_wrong(const place *p)
{
    char kept[8];

    memcpy(kept, cubin.data + p->at, p->n_bytes);
    memset(cubin.data + p->at, 0xff, p->n_bytes);
    if (!check(cubin.data, cubin.length, HONE_ELF_CUDA))
        fail_msg("%s may be wrong", p->what);
    if (!hone__code_check(cubin.data, cubin.length))
        fail_msg("%s may be wrong", p->what);
    memcpy(cubin.data + p->at, kept, p->n_bytes);
    assert_null(check(cubin.data, cubin.length, HONE_ELF_CUDA));
}

#define WORD(base, type, field)                                                \
    (&(place){(base) + offsetof(type, field), sizeof(((type *)NULL)->field),   \
              #type "." #field})

static void every_word(void **state)
{
    size_t symbols, strings, relocations;

    (void)state;
    memcpy(&header, cubin.data, sizeof header);
    symbols = section(find(SHT_SYMTAB)).sh_offset + sizeof(Elf64_Sym);
    strings = section(find(SHT_STRTAB)).sh_offset +
              section(find(SHT_STRTAB)).sh_size - 1;
    relocations = section(find(SHT_RELA)).sh_offset;
    make_wrong(WORD(0, Elf64_Ehdr, e_machine));
    make_wrong(WORD(0, Elf64_Ehdr, e_phoff));
    make_wrong(WORD(0, Elf64_Ehdr, e_phnum));
    make_wrong(WORD(0, Elf64_Ehdr, e_phentsize));
    make_wrong(WORD(0, Elf64_Ehdr, e_shoff));
    make_wrong(WORD(0, Elf64_Ehdr, e_shnum));
    make_wrong(WORD(0, Elf64_Ehdr, e_shentsize));
    make_wrong(WORD(0, Elf64_Ehdr, e_shstrndx));
    make_wrong(&(place){EI_CLASS, 1, "the class"});
    make_wrong(&(place){EI_DATA, 1, "the order of bytes"});
    make_wrong(&(place){strings, 1, "the end of the names"});
    make_wrong(WORD(symbols, Elf64_Sym, st_name));
    make_wrong(WORD(relocations, Elf64_Rela, r_offset));
    make_wrong(WORD(relocations, Elf64_Rela, r_info));
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        const size_t at = header.e_phoff + i * sizeof(Elf64_Phdr);

        make_wrong(WORD(at, Elf64_Phdr, p_offset));
        make_wrong(WORD(at, Elf64_Phdr, p_filesz));
    }
    for (unsigned i = 1; i < header.e_shnum; ++i) {
        const size_t at = header.e_shoff + i * sizeof(Elf64_Shdr);
        const unsigned type = section(i).sh_type;

        make_wrong(WORD(at, Elf64_Shdr, sh_name));
        make_wrong(WORD(at, Elf64_Shdr, sh_link));
        if (type == SHT_RELA) /* an empty one, too */
            make_wrong(WORD(at, Elf64_Shdr, sh_info));
        if (type == SHT_NOBITS)
            continue;
        make_wrong(WORD(at, Elf64_Shdr, sh_offset));
        make_wrong(WORD(at, Elf64_Shdr, sh_size));
        if (type != SHT_SYMTAB && type != SHT_RELA)
            continue;
        make_wrong(WORD(at, Elf64_Shdr, sh_entsize));
    }
}

/* The driver is not asked: there is none here. */
static void a_sentence(void **state)
{
    const hone_driver none = {.module_load = NULL};
    hone_cu_module module = NULL;
    hone_error err = {0};

    (void)state;
    assert_int_equal(hone__driver_load(&none, cubin.data, cubin.length / 2,
                                       "BLOCK=256", &module, &err),
                     HONE_ERR_DATABASE);
    assert_string_equal(err.text, "the kernels of BLOCK=256 are damaged: it is "
                                  "cut short; tune again");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_ones),
        cmocka_unit_test(every_length),
        cmocka_unit_test(every_word),
        cmocka_unit_test(a_sentence),
    };

    return cmocka_run_group_tests_name("elf", tests, read_files, free_files);
}
