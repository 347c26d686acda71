/* SPDX-License-Identifier: Apache-2.0 */
/* runtime_child.h: runs the test program again as `--child ARG...` with settings of its own, for
 * cases that need a fresh process. */
#ifndef RUNTIME_CHILD_H
#define RUNTIME_CHILD_H

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct outcome {
    int status;
    char out[4096], err[4096];
};

/* Reads both ends until the child closes them: one that is left full would stop the child. Keeps
 * the first room - 1 bytes of each. */
static void drain(const int fds[2], char *const buf[2], size_t room)
{
    struct pollfd wait[2] = {{fds[0], POLLIN, 0}, {fds[1], POLLIN, 0}};
    size_t used[2] = {0, 0};
    char chunk[4096];
    while (wait[0].fd >= 0 || wait[1].fd >= 0) {
        poll(wait, 2, -1);
        for (int i = 0; i < 2; i++) {
            if (wait[i].fd < 0 || !wait[i].revents)
                continue;
            const ssize_t r = read(fds[i], chunk, sizeof chunk);
            const size_t left = room - 1 - used[i], got = r > 0 ? (size_t)r : 0;
            memcpy(buf[i] + used[i], chunk, got < left ? got : left);
            used[i] += got < left ? got : left;
            if (r <= 0)
                wait[i].fd = -1;
        }
    }
    for (int i = 0; i < 2; i++) {
        buf[i][used[i]] = 0;
        close(fds[i]);
    }
}

/* Takes out the line that begins with `start`, if there is one. */
static void drop_line(char *text, const char *start)
{
    char *const line = strstr(text, start);
    if (line && (line == text || line[-1] == '\n')) {
        const char *const end = strchr(line, '\n');
        memmove(line, end ? end + 1 : "", end ? strlen(end + 1) + 1 : 1);
    }
}

/* All but NUMAFY_HUGE, under which the whole suite runs too (tests/run.py). */
static void forget_settings(void)
{
    extern char **environ;
    for (int i = 0; environ[i];) {
        char name[64];
        const char *equals = strchr(environ[i], '=');
        if (strncmp(environ[i], "NUMAFY_", 7) || !equals || equals - environ[i] >= 64 ||
            !strncmp(environ[i], "NUMAFY_HUGE=", 12)) {
            i++;
            continue;
        }
        memcpy(name, environ[i], (size_t)(equals - environ[i]));
        name[equals - environ[i]] = 0;
        unsetenv(name);
    }
}

/* Runs this program with arguments and these settings alone; both lists end with NULL. A machine
 * without huge pages says so once under NUMAFY_HUGE=2; that is unit_runtime_huge's matter. */
static struct outcome child(const char *const args[], const char *const env[])
{
    struct outcome o;
    int out[2], err[2];
    assert_int_equal(pipe(out) | pipe(err), 0);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        char self[] = "unit_runtime", mark[] = "--child", *argv[16] = {self, mark};
        for (int i = 0; args[i]; i++)
            argv[i + 2] = (char *)(uintptr_t)args[i];
        forget_settings();
        for (int i = 0; env[i]; i++)
            putenv((char *)(uintptr_t)env[i]);
        dup2(out[1], 1);
        dup2(err[1], 2);
        execv("/proc/self/exe", argv);
        _exit(126);
    }
    close(out[1]);
    close(err[1]);
    drain((const int[]){out[0], err[0]}, (char *const[]){o.out, o.err}, sizeof o.out);
    waitpid(pid, &o.status, 0);
    const char *const huge = getenv("NUMAFY_HUGE");
    if (huge && !strcmp(huge, "2"))
        drop_line(o.err, "numafy: NUMAFY_HUGE: too few huge pages");
    return o;
}

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})
#define NONE ((const char *const[]){NULL})

static inline int lines(const char *s)
{
    int n = 0;
    for (; *s; s++)
        n += *s == '\n';
    return n;
}

#endif
