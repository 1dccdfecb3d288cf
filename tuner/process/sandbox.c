/* SPDX-License-Identifier: Apache-2.0 */
/* Landlock and seccomp by their system calls: see sandbox.h. The numbers are
 * the kernel's, since Debian 12's headers know Landlock's second version only.
 * Rejected: libseccomp (one filter of one table), user name spaces (often
 * forbidden, and a kernel's largest source of holes), a chroot. */
#define _GNU_SOURCE /* O_PATH, syscall */
#include "tuner/process/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_off(void)
{
    const char *text = getenv("HONE_SANDBOX");

    return text && strcmp(text, "off") == 0;
}

/* ---- Landlock ------------------------------------------------------------ */

enum {
    CREATE_RULESET = 444,
    ADD_RULE = 445,
    RESTRICT_SELF = 446,
    VERSION_FLAG = 1,
    PATH_BENEATH = 1
};

/* Bits of accesses to files. */
enum {
    WRITE_FILE = 1 << 1,
    ALL_CHANGES_1 = 0x1ff0 /* remove, make: bits 4 to 12 */,
    REFER = 1 << 13,       /* version 2: rename between folders */
    TRUNCATE = 1 << 14,    /* 3 */
    IOCTL_DEVICE = 1 << 15 /* 5 */
};

/* Version 1 forbids every rename between folders, which the cache needs. */
enum { LEAST_VERSION = 2 };

enum { TCP = 3 /* 4: bind, connect */, SCOPED = 3 /* 6: sockets, signals */ };

typedef struct ruleset {
    uint64_t files, network, scoped;
} ruleset;

typedef struct path_rule {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed)) path_rule;

static int landlock_version(void)
{
    const long version = syscall(CREATE_RULESET, NULL, 0, VERSION_FLAG);

    return version < 0 ? 0 : (int)version;
}

/* Not to be changed, but where a rule says so. */
static ruleset rules_of(int version)
{
    ruleset rules = {.files = WRITE_FILE | ALL_CHANGES_1};

    rules.files |= REFER;
    rules.files |= version >= 3 ? TRUNCATE : 0;
    rules.files |= version >= 5 ? IOCTL_DEVICE : 0;
    rules.network = version >= 4 ? TCP : 0;
    rules.scoped = version >= 6 ? SCOPED : 0;
    return rules;
}

/* A path that is not there needs no rule. */
static void allow(int rules, const char *path, uint64_t accesses)
{
    struct stat status;
    path_rule rule = {.allowed = accesses,
                      .parent = open(path, O_PATH | O_CLOEXEC)};

    if (rule.parent < 0)
        return;
    if (fstat(rule.parent, &status) == 0 && !S_ISDIR(status.st_mode))
        rule.allowed &= WRITE_FILE | TRUNCATE | IOCTL_DEVICE;
    (void)syscall(ADD_RULE, rules, PATH_BENEATH, &rule, 0);
    (void)close(rule.parent);
}

static int enter_landlock(const char *const *folders, size_t n_folders)
{
    static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full",
                                          "/dev/tty", "/dev/pts"};
    const int version = landlock_version();
    const ruleset wanted = rules_of(version);
    const size_t size = version >= 6   ? sizeof wanted
                        : version >= 4 ? 2 * sizeof(uint64_t)
                                       : sizeof(uint64_t);
    int rules, is_in;

    if (version < LEAST_VERSION)
        return 0;
    rules = (int)syscall(CREATE_RULESET, &wanted, size, 0);
    if (rules < 0)
        return 0;
    for (size_t i = 0; i < n_folders; ++i)
        if (folders[i])
            allow(rules, folders[i], wanted.files & ~(uint64_t)IOCTL_DEVICE);
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; ++i)
        allow(rules, devices[i],
              wanted.files & (WRITE_FILE | TRUNCATE | IOCTL_DEVICE));
    is_in = syscall(RESTRICT_SELF, rules, 0) == 0;
    (void)close(rules);
    return is_in;
}

/* ---- seccomp ------------------------------------------------------------- */

#if defined(__x86_64__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCH AUDIT_ARCH_AARCH64
#else
#define THIS_ARCH 0
#endif

/* io_uring and what came with it have one number everywhere. */
static const int refused[] = {
    SYS_socket,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_unshare,
    SYS_setns,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_quotactl,
    SYS_userfaultfd,
    SYS_open_by_handle_at,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_sethostname,
    SYS_setdomainname,
    425,
    426,
    427 /* io_uring */,
    428,
    429,
    430,
    431,
    432,
    433 /* mounts */,
    438 /* pidfd_getfd */,
};

/* Without Landlock's scopes a process may not send signals at all, but to a
 * thread (abort() does). */
static const int signals[] = {SYS_kill, SYS_rt_sigqueueinfo,
                              SYS_rt_tgsigqueueinfo, 424};

/* CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET; clone()
 * has no other (NEWTIME is for unshare() and clone3()). */
enum { NEW_NAME_SPACE = 0x7e020000 };

enum { MOST_LINES = 128 };

typedef struct filter {
    struct sock_filter lines[MOST_LINES];
    unsigned short n;
} filter;

static void add(filter *f, struct sock_filter line)
{
    if (f->n < MOST_LINES)
        f->lines[f->n++] = line;
}

static void refuse(filter *f, const int *calls, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                            (uint32_t)calls[i], 0, 1));
        add(f, (struct sock_filter)BPF_STMT(
                   BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)EACCES));
    }
}

/* clone() with name spaces: its flags are the first argument on both machines.
 * Those of clone3() are in memory, where a filter cannot look: it is said not
 * to be there, and the C library makes its threads with the other. The last
 * rule: the number of the call is gone after it. */
static void refuse_name_spaces(filter *f)
{
    enum { CLONE3 = 435 };
    /* `args`: the lower half of the first, which both machines begin with */
    const struct sock_filter lines[] = {
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CLONE3, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)ENOSYS),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NEW_NAME_SPACE, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)EACCES)};

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i)
        add(f, lines[i]);
}

static int enter_seccomp(int refuses_signals)
{
    filter f = {.n = 0};
    struct sock_fprog program = {.filter = f.lines};

    if (!THIS_ARCH)
        return 0;
    add(&f, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                         offsetof(struct seccomp_data, arch)));
    add(&f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCH,
                                         1, 0));
    /* Calls of another machine, 32 bits: nothing here makes them. */
    add(&f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
                                         SECCOMP_RET_ERRNO | (uint32_t)ENOSYS));
    add(&f, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                         offsetof(struct seccomp_data, nr)));
#if defined(__x86_64__)
    add(&f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000,
                                         0, 1)); /* x32 */
    add(&f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
                                         SECCOMP_RET_ERRNO | (uint32_t)ENOSYS));
#endif
    refuse(&f, refused, sizeof refused / sizeof refused[0]);
    if (refuses_signals)
        refuse(&f, signals, sizeof signals / sizeof signals[0]);
    refuse_name_spaces(&f);
    add(&f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    program.len = f.n;
    return f.n < MOST_LINES &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* ---- both ---------------------------------------------------------------- */

int hone__sandbox_enter(const char *const *folders, size_t n_folders)
{
    const struct rlimit none = {0, 0};
    int has_files;

    if (is_off() || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return 0;
    (void)setrlimit(RLIMIT_CORE, &none);
    has_files = enter_landlock(folders, n_folders);
    (void)enter_seccomp(landlock_version() < 6);
    return has_files;
}

int hone__sandbox_describe(char *out, size_t size)
{
    const int version = landlock_version();
    /* A filter that is no filter: EFAULT says that there could be one. */
    const int has_seccomp =
        THIS_ARCH && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) < 0 &&
        errno == EFAULT;

    if (is_off()) {
        (void)snprintf(out, size,
                       "switched off by HONE_SANDBOX=off: compilers and "
                       "variants of the cpu device may do what you may");
        return 0;
    }
    (void)snprintf(
        out, size,
        "of compilers and variants of the cpu device: %s%s%s%s; processes of "
        "GPUs have none; HONE_SANDBOX=off leaves it out",
        version >= LEAST_VERSION
            ? "files are read only but their own (Landlock"
            : "files are NOT protected (this kernel has no Landlock",
        version >= 6 ? "), no signals to other processes" : ")",
        has_seccomp ? ", no network, no tracing, no mounts (seccomp)"
                    : ", network is NOT closed (no seccomp)",
        ", no core files");
    return version >= LEAST_VERSION || has_seccomp;
}
