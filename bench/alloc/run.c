/* SPDX-License-Identifier: Apache-2.0 */
/* A cell in a child process: finds its program, starts it, reads its line. With main.c the only
 * file here that exits or prints errors. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "parent.h"

void bench_die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", program_invocation_short_name);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

unsigned bench_parse_number(const char *text, unsigned low, unsigned high, const char *what)
{
    char *end;
    errno = 0;
    const unsigned long value = strtoul(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end != '\0' || errno != 0 || value < low || value > high)
        bench_die("%s: '%s' is not a number from %u to %u", what, text, low, high);
    return (unsigned)value;
}

/* peers/NAME in the folder of this program. */
static void program_path(const struct bench_cell *cell, char *path, size_t len)
{
    const ssize_t got = readlink("/proc/self/exe", path, len - 1);
    if (got < 0)
        bench_die("/proc/self/exe: %s", strerror(errno));
    path[got] = '\0';
    char *name = strrchr(path, '/') + 1;
    snprintf(name, len - (size_t)(name - path), "peers/%s", cell->peer->program);
}

bool bench_not_built(const struct bench_cell *cell, char *text, size_t len)
{
    char path[PATH_MAX];
    program_path(cell, path, sizeof path);
    if (access(path, X_OK) == 0)
        return false;
    if (cell->peer->package != NULL)
        snprintf(text, len, "missing apt-get install %s, then cmake again", cell->peer->package);
    else
        snprintf(text, len, "missing peers/%s is not built", cell->peer->program);
    return true;
}

void bench_exec_cell(const struct bench_cell *cell, const char *task, const char *extra)
{
    char threads[16], size[32], node[16], ms[16], program[PATH_MAX], variable[64];
    snprintf(threads, sizeof threads, "%u", cell->threads);
    snprintf(size, sizeof size, "%zu", cell->size);
    snprintf(node, sizeof node, "%d", cell->node);
    snprintf(ms, sizeof ms, "%u", cell->milliseconds);
    program_path(cell, program, sizeof program);
    setenv("NUMAFY_QUIET", "1", 0); /* checks use a second node whether or not there is one */
    if (cell->peer->environment != NULL) {
        snprintf(variable, sizeof variable, "%s", cell->peer->environment);
        putenv(variable);
    }
    execl(program, program, "--cell", task, cell->peer->name, bench_pattern_name(cell->pattern),
          threads, size, node, ms, extra, (char *)NULL);
}

int bench_run_cell(const struct bench_cell *cell, const char *task, const char *extra, char *text,
                   size_t len)
{
    int ends[2], status = 0;
    if (bench_not_built(cell, text, len))
        return 0;
    if (pipe(ends) != 0)
        bench_die("pipe: %s", strerror(errno));
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0)
        bench_die("fork: %s", strerror(errno));
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        bench_exec_cell(cell, task, extra);
        _exit(127);
    }
    close(ends[1]);
    FILE *in = fdopen(ends[0], "r");
    const bool got = in != NULL && fgets(text, (int)len, in) != NULL;
    if (in != NULL)
        fclose(in);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFSIGNALED(status))
        snprintf(text, len, "ended by signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0 || !got)
        snprintf(text, len, "ended with status %d", WEXITSTATUS(status));
    else
        return text[strcspn(text, "\n")] = '\0', 0;
    return -1;
}

const char *bench_missing(const char *text)
{
    static const char word[] = "missing ";
    return strncmp(text, word, sizeof word - 1) == 0 ? text + sizeof word - 1 : NULL;
}
