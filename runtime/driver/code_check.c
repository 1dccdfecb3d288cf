/* SPDX-License-Identifier: Apache-2.0 */
/* Reading what an ELF file says of itself: see code_check.h. It may lie at any
 * address, so structures are copied out of it. */
#include "runtime/driver/code_check.h"

#include <elf.h>
#include <string.h>

static const char cut_short[] = "it is cut short";
static const char damaged[] = "its structure is wrong";

typedef struct image {
    const char *bytes;
    size_t size_bytes;
    Elf64_Ehdr header;
} image;

static int is_within(const image *file, uint64_t offset, uint64_t size_bytes)
{
    return offset <= file->size_bytes &&
           size_bytes <= file->size_bytes - offset;
}

/* A section that exists; those behind the last one are empty. */
static Elf64_Shdr section_at(const image *file, uint64_t index)
{
    Elf64_Shdr section = {.sh_size = 0};

    if (index < file->header.e_shnum)
        memcpy(&section,
               file->bytes + file->header.e_shoff + index * sizeof section,
               sizeof section);
    return section;
}

/* Symbols, whose names and sections are there. */
static int check_symbol(const image *file, const Elf64_Shdr *table,
                        const char *entry)
{
    Elf64_Sym symbol;

    memcpy(&symbol, entry, sizeof symbol);
    return symbol.st_name < section_at(file, table->sh_link).sh_size &&
           (symbol.st_shndx < file->header.e_shnum ||
            symbol.st_shndx >= SHN_LORESERVE);
}

/* The beginning of Elf64_Rela is an Elf64_Rel. */
static int check_relocation(const image *file, const Elf64_Shdr *table,
                            const char *entry)
{
    const Elf64_Shdr symbols = section_at(file, table->sh_link);
    Elf64_Rel relocation;

    memcpy(&relocation, entry, sizeof relocation);
    return relocation.r_offset < section_at(file, table->sh_info).sh_size &&
           ELF64_R_SYM(relocation.r_info) < symbols.sh_size / sizeof(Elf64_Sym);
}

static int
check_entries(const image *file, const Elf64_Shdr *table, size_t entry_bytes,
              int (*check)(const image *, const Elf64_Shdr *, const char *))
{
    if (table->sh_entsize != entry_bytes || table->sh_size % entry_bytes)
        return 0;
    for (uint64_t at = 0; at < table->sh_size; at += entry_bytes) {
        if (!check(file, table, file->bytes + table->sh_offset + at))
            return 0;
    }
    return 1;
}

static int check_section(const image *file, const Elf64_Shdr *section)
{
    const int is_cubin = file->header.e_machine == HONE_ELF_CUDA;

    switch (section->sh_type) {
    case SHT_STRTAB:
        return !section->sh_size ||
               !file->bytes[section->sh_offset + section->sh_size - 1];
    case SHT_SYMTAB:
    case SHT_DYNSYM:
        return section_at(file, section->sh_link).sh_type == SHT_STRTAB &&
               check_entries(file, section, sizeof(Elf64_Sym), check_symbol);
    case SHT_REL:
    case SHT_RELA:
        return !is_cubin ||
               (section->sh_info < file->header.e_shnum &&
                check_entries(file, section,
                              section->sh_type == SHT_REL ? sizeof(Elf64_Rel)
                                                          : sizeof(Elf64_Rela),
                              check_relocation));
    default:
        return 1;
    }
}

static const char *check_sections(const image *file)
{
    const Elf64_Shdr names = section_at(file, file->header.e_shstrndx);

    for (size_t i = 0; i < file->header.e_shnum; ++i) {
        const Elf64_Shdr section = section_at(file, i);

        if (section.sh_type != SHT_NOBITS &&
            !is_within(file, section.sh_offset, section.sh_size))
            return cut_short;
        if (names.sh_type != SHT_STRTAB || section.sh_name >= names.sh_size ||
            section.sh_link >= file->header.e_shnum)
            return damaged;
    }
    for (size_t i = 0; i < file->header.e_shnum; ++i) {
        const Elf64_Shdr section = section_at(file, i);

        if (!check_section(file, &section))
            return damaged;
    }
    return NULL;
}

static const char *check_segments(const image *file)
{
    for (size_t i = 0; i < file->header.e_phnum; ++i) {
        Elf64_Phdr part;

        memcpy(&part, file->bytes + file->header.e_phoff + i * sizeof part,
               sizeof part);
        if (!is_within(file, part.p_offset, part.p_filesz))
            return cut_short;
    }
    return NULL;
}

const char *hone__elf_check(const void *bytes, size_t size_bytes, int machine)
{
    image file = {.bytes = bytes, .size_bytes = size_bytes};
    const Elf64_Ehdr *h = &file.header;
    const char *reason;

    if (size_bytes < sizeof file.header)
        return cut_short;
    memcpy(&file.header, bytes, sizeof file.header);
    if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 ||
        h->e_ident[EI_CLASS] != ELFCLASS64 ||
        h->e_ident[EI_DATA] != ELFDATA2LSB ||
        (machine && h->e_machine != machine) ||
        (h->e_phnum && h->e_phentsize != sizeof(Elf64_Phdr)) ||
        (h->e_shnum && h->e_shentsize != sizeof(Elf64_Shdr)))
        return damaged;
    if (!is_within(&file, h->e_phoff, h->e_phnum * sizeof(Elf64_Phdr)) ||
        !is_within(&file, h->e_shoff, h->e_shnum * sizeof(Elf64_Shdr)))
        return cut_short;
    reason = check_segments(&file);
    return reason ? reason : check_sections(&file);
}

const char *hone__code_check(const void *bytes, size_t size_bytes)
{
    const unsigned char *text = bytes;

    if (size_bytes && *text == ELFMAG[0])
        return hone__elf_check(bytes, size_bytes, HONE_ELF_CUDA);
    /* A container of another kind is not text. */
    for (size_t i = 0; i < size_bytes; ++i) {
        if (text[i] && text[i] < '\t')
            return "it is neither a cubin nor PTX";
    }
    return NULL;
}
