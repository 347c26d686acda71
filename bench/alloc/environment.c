/* SPDX-License-Identifier: Apache-2.0 */
/* Collects what a reader must know about the machine to judge the figures: nothing that names it
 * (host name, paths, users). */
#define _GNU_SOURCE
#include <gnu/libc-version.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <jemalloc/jemalloc.h>

#include "parent.h"

__attribute__((format(printf, 3, 4))) static void fact(struct bench_environment *environment,
                                                       const char *name, const char *format, ...)
{
    if (environment->count == BENCH_FACTS)
        return;
    va_list arguments;
    va_start(arguments, format);
    snprintf(environment->facts[environment->count].name, sizeof environment->facts[0].name, "%s",
             name);
    vsnprintf(environment->facts[environment->count].value, BENCH_FACT_LEN, format, arguments);
    va_end(arguments);
    environment->count++;
}

/* The first line of a file that begins with key, without key, blanks and colon; "unknown". */
static void read_line(const char *path, const char *key, char *text, size_t len)
{
    char line[2048];
    FILE *in = fopen(path, "r");
    snprintf(text, len, "unknown");
    while (in != NULL && fgets(line, sizeof line, in) != NULL) {
        if (strncmp(line, key, strlen(key)) != 0)
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(text, len, "%s", line + strlen(key) + strspn(line + strlen(key), " \t:"));
        break;
    }
    if (in != NULL)
        fclose(in);
}

int bench_cpus(void)
{
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return (int)sysconf(_SC_NPROCESSORS_ONLN); /* more than a cpu_set_t has */
    return CPU_COUNT(&allowed);
}

static void read_cpus(struct bench_environment *environment)
{
    char text[2048];
    read_line("/proc/cpuinfo", "model name", text, sizeof text);
    fact(environment, "CPU", "%.140s", text);
    read_line("/proc/cpuinfo", "flags", text, sizeof text);
    fact(environment, "virtual machine", "%s",
         strstr(text, " hypervisor") != NULL ? "yes" : "not seen");
    fact(environment, "CPUs", "%d allowed of %ld online", bench_cpus(),
         sysconf(_SC_NPROCESSORS_ONLN));
}

void bench_load_read(char *text, size_t len)
{
    double load[3] = {0, 0, 0};
    if (getloadavg(load, 3) == 3)
        snprintf(text, len, "%.2f %.2f %.2f", load[0], load[1], load[2]);
    else
        snprintf(text, len, "unknown");
}

void bench_environment_read(struct bench_environment *environment)
{
    /* Settings that change what is measured. */
    static const char *const variables[] = {"MALLOC_CONF",    "NUMAFY_CACHE",  "NUMAFY_MODE",
                                            "NUMAFY_NODEMAP", "NUMAFY_HUGE",   "NUMAFY_SHARDS",
                                            "LD_PRELOAD",     "GLIBC_TUNABLES"};
    char text[BENCH_FACT_LEN];
    struct utsname system;
    const char *version = "unknown";
    size_t len = sizeof version;

    environment->count = 0;
    read_cpus(environment);
    if (uname(&system) == 0)
        fact(environment, "kernel", "%.60s %.60s", system.sysname, system.release);
    read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", "", text,
              sizeof text);
    fact(environment, "clock source", "%s", text);
    read_line("/sys/devices/system/node/has_memory", "", text, sizeof text);
    fact(environment, "nodes with memory", "%s", text);
    read_line("/sys/kernel/mm/transparent_hugepage/enabled", "", text, sizeof text);
    fact(environment, "THP", "%s", text);
    fact(environment, "glibc", "%s", gnu_get_libc_version());
    mallctl("version", (void *)&version, &len, NULL, 0);
    fact(environment, "jemalloc", "%s", version);
#ifdef __clang__
    fact(environment, "compiler", "%s", __VERSION__);
#else
    fact(environment, "compiler", "gcc %s", __VERSION__);
#endif
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (getenv(variables[i]) != NULL)
            fact(environment, variables[i], "%s", getenv(variables[i]));
}
