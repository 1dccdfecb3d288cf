/* SPDX-License-Identifier: Apache-2.0 */
/* Cubins and shared objects: one that is taken for whole is read as drivers and
 * loaders do, who believe what it says. */
#include "runtime/driver/code_check.h"
#include "tests/fuzz/fuzz.h"

#include <elf.h>
#include <string.h>

static Elf64_Shdr section(const char *bytes, const Elf64_Ehdr *header,
                          unsigned index)
{
    Elf64_Shdr out;

    memcpy(&out, bytes + header->e_shoff + index * sizeof out, sizeof out);
    return out;
}

/* AddressSanitizer sees what lies outside. */
static unsigned long add(const char *bytes, const Elf64_Shdr *s)
{
    unsigned long sum = 0;

    for (size_t i = 0; s->sh_type != SHT_NOBITS && i < s->sh_size; ++i)
        sum += (unsigned char)bytes[s->sh_offset + i];
    return sum;
}

static unsigned long believe(const char *bytes, int is_cubin)
{
    unsigned long sum = 0;
    Elf64_Ehdr header;
    Elf64_Shdr names;

    memcpy(&header, bytes, sizeof header);
    if (!header.e_shnum)
        return 0;
    names = section(bytes, &header, header.e_shstrndx);
    for (unsigned i = 0; i < header.e_shnum; ++i) {
        const Elf64_Shdr s = section(bytes, &header, i);

        sum += add(bytes, &s) + strlen(bytes + names.sh_offset + s.sh_name);
        if (s.sh_type == SHT_SYMTAB || s.sh_type == SHT_DYNSYM) {
            const Elf64_Shdr strings = section(bytes, &header, s.sh_link);

            for (size_t k = 0; k < s.sh_size; k += sizeof(Elf64_Sym)) {
                Elf64_Sym symbol;

                memcpy(&symbol, bytes + s.sh_offset + k, sizeof symbol);
                sum += strlen(bytes + strings.sh_offset + symbol.st_name);
            }
        }
        if (is_cubin && s.sh_type == SHT_RELA) {
            const Elf64_Shdr to = section(bytes, &header, s.sh_info);

            for (size_t k = 0; k < s.sh_size; k += sizeof(Elf64_Rela)) {
                Elf64_Rela r;

                memcpy(&r, bytes + s.sh_offset + k, sizeof r);
                FUZZ_HOLDS(r.r_offset < to.sh_size);
            }
        }
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    char *exact = malloc(size_bytes + !size_bytes);

    if (!exact)
        return 0;
    memcpy(exact, data, size_bytes);
    (void)hone__code_check(exact, size_bytes);
    for (int i = 0; i < 2; ++i) {
        if (!hone__elf_check(exact, size_bytes, i ? HONE_ELF_CUDA : 0))
            FUZZ_HOLDS(believe(exact, i) != SIZE_MAX);
    }
    free(exact);
    return 0;
}
