// SPDX-License-Identifier: Apache-2.0
/*
 * seccomp_deny SYSCALL[,SYSCALL...] COMMAND [ARG...]: runs COMMAND in a world where the named
 * system calls answer EPERM, as Docker's default filter does for mbind and its kin. It knows
 * nothing of numafy; the filter is inherited by every descendant and cannot be taken off again.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCH AUDIT_ARCH_AARCH64
#else
#error "seccomp_deny knows the audit number of x86-64 and AArch64 only"
#endif

enum { MAX_DENIED = 16, EXIT_USAGE = 2, EXIT_SETUP = 125, EXIT_EXEC = 127 };

static const struct {
    const char *name;
    unsigned number;
} known_calls[] = {
    {"mbind", SYS_mbind},
    {"set_mempolicy", SYS_set_mempolicy},
    {"get_mempolicy", SYS_get_mempolicy},
    {"move_pages", SYS_move_pages},
    {"migrate_pages", SYS_migrate_pages},
};

static int call_number(const char *name, unsigned *number)
{
    for (size_t i = 0; i < sizeof known_calls / sizeof known_calls[0]; i++) {
        if (strcmp(known_calls[i].name, name) == 0) {
            *number = known_calls[i].number;
            return 0;
        }
    }
    return -1;
}

/* Splits LIST at its commas (it is written to); the count of numbers, or -1 after a message. */
static int calls_parse(char *list, unsigned numbers[MAX_DENIED])
{
    int count = 0;
    for (char *save, *name = strtok_r(list, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
        if (count == MAX_DENIED || call_number(name, &numbers[count]) != 0) {
            fprintf(stderr, "seccomp_deny: cannot deny '%s'\n", name);
            return -1;
        }
        count++;
    }
    return count;
}

static struct sock_filter statement(unsigned code, unsigned k)
{
    return (struct sock_filter){.code = (unsigned short)code, .k = k};
}

static struct sock_filter jump_unless_equal(unsigned k, unsigned skip)
{
    return (struct sock_filter){
        .code = BPF_JMP | BPF_JEQ | BPF_K, .jt = 0, .jf = (unsigned char)skip, .k = k};
}

static int filter_install(const unsigned *numbers, int count)
{
    struct sock_filter code[4 + 2 * MAX_DENIED + 1];
    unsigned short n = 0;
    code[n++] = statement(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    code[n++] = jump_unless_equal(THIS_ARCH, (unsigned)(1 + 2 * count));
    code[n++] = statement(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < count; i++) {
        code[n++] = jump_unless_equal(numbers[i], 1);
        code[n++] = statement(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    }
    code[n++] = statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = n, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

int main(int argc, char **argv)
{
    unsigned numbers[MAX_DENIED];
    if (argc < 3) {
        fprintf(stderr, "usage: seccomp_deny SYSCALL[,SYSCALL...] COMMAND [ARG...]\n");
        return EXIT_USAGE;
    }
    int count = calls_parse(argv[1], numbers);
    if (count <= 0)
        return EXIT_USAGE;
    if (filter_install(numbers, count) != 0) {
        fprintf(stderr, "seccomp_deny: the kernel took no filter: %s\n", strerror(errno));
        return EXIT_SETUP;
    }
    execvp(argv[2], argv + 2);
    fprintf(stderr, "seccomp_deny: %s: %s\n", argv[2], strerror(errno));
    return EXIT_EXEC;
}
