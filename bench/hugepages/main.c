/* SPDX-License-Identifier: Apache-2.0 */
/* bench_hugepages: one program (map.cpp) under the huge-page settings of glibc, jemalloc and ours.
 * Options, rounds, table, JSON. Each run is a process of its own; each variant runs twice back to
 * back and the second run counts, since huge pages that the kernel has to put together first cost
 * up to a second, whoever comes first. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "parent.h"

static const char usage_text[] =
    "usage: bench_hugepages [options]\n"
    "  --elements N      10000000\n"
    "  --rounds N        3\n"
    "  --size SIZE       of the last row, as NUMAFY_HUGE takes it: 2M\n"
    "  --json FILE       all figures of all rounds\n"
    "  --quick           200,000 elements, once\n";

static const char *const figure_names[] = {
    "dtlb_loads", "dtlb_misses", "cache_refs", "cache_misses", "faults",
    "seconds",    "user",        "sys",        "transparent",  "reserved"};
enum {
    DTLB_LOADS,
    DTLB_MISSES,
    CACHE_REFS,
    CACHE_MISSES,
    FAULTS,
    SECONDS,
    USER,
    SYS,
    TRANSPARENT,
    RESERVED,
    FIGURES
};

struct variant {
    const char *name, *program, *setting;
    double figures[FIGURES][BENCH_MAX_ROUNDS];
};

static char last_setting[64] = "NUMAFY_HUGE=2M";
static struct variant variants[] = {
    {"glibc 0", "map_glibc", "GLIBC_TUNABLES=glibc.malloc.hugetlb=0", {{0}}},
    {"glibc 1", "map_glibc", "GLIBC_TUNABLES=glibc.malloc.hugetlb=1", {{0}}},
    {"glibc 2", "map_glibc", "GLIBC_TUNABLES=glibc.malloc.hugetlb=2", {{0}}},
    {"jemalloc", "map_jemalloc", "MALLOC_CONF=thp:default", {{0}}},
    {"jemalloc thp", "map_jemalloc", "MALLOC_CONF=thp:always", {{0}}},
    {"numafy 0", "map_numafy", "NUMAFY_HUGE=0", {{0}}},
    {"numafy 1", "map_numafy", "NUMAFY_HUGE=1", {{0}}},
    {"numafy 2", "map_numafy", "NUMAFY_HUGE=2", {{0}}},
    {"numafy size", "map_numafy", last_setting, {{0}}},
};
enum { VARIANTS = sizeof variants / sizeof *variants, PLAIN = 5, ADVISED = 6 };

struct options {
    unsigned elements, rounds;
    const char *json;
};

/* In the child: nothing of the caller's settings may reach a variant. */
static void exec_variant(const struct variant *variant, const char *elements, int out)
{
    static const char *const others[] = {"GLIBC_TUNABLES", "MALLOC_CONF",  "LD_PRELOAD",
                                         "NUMAFY_HUGE",    "NUMAFY_MODE",  "NUMAFY_NODEMAP",
                                         "NUMAFY_AMBIENT", "NUMAFY_CACHE", "NUMAFY_SHARDS"};
    char path[4096], name[64];
    const ssize_t len = readlink("/proc/self/exe", path, sizeof path - 64);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        unsetenv(others[i]);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(variant->setting, "="), variant->setting);
    setenv(name, strchr(variant->setting, '=') + 1, 1);
    setenv("NUMAFY_QUIET", "1", 1); /* what was replaced is in the table */
    path[len < 0 ? 0 : len] = '\0';
    snprintf(strrchr(path, '/') + 1, 64, "peers/%s", variant->program);
    dup2(out, 1);
    execl(path, path, elements, (char *)NULL);
    fprintf(stderr, "bench_hugepages: %s: %s\n", path, strerror(errno));
    _exit(126);
}

static void run_once(struct variant *variant, const struct options *options, unsigned round)
{
    char elements[16], text[512] = "";
    int fds[2], status;
    snprintf(elements, sizeof elements, "%u", options->elements);
    fflush(stdout);
    if (pipe(fds) != 0)
        bench_die("pipe: %s", strerror(errno));
    const pid_t child = fork();
    if (child == 0)
        exec_variant(variant, elements, fds[1]);
    close(fds[1]);
    FILE *in = fdopen(fds[0], "r");
    const bool answered = in != NULL && fgets(text, sizeof text, in) != NULL;
    if (in != NULL)
        fclose(in);
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0 || !answered)
        bench_die("%s did not come to its end", variant->name);
    for (int f = 0; f < FIGURES; f++) {
        const char *const at = strstr(text, figure_names[f]);
        if (at == NULL)
            bench_die("%s did not print %s", variant->name, figure_names[f]);
        variant->figures[f][round] = strtod(at + strlen(figure_names[f]), NULL);
    }
}

static double median_of(const struct variant *variant, int figure, const struct options *options)
{
    double sorted[BENCH_MAX_ROUNDS];
    memcpy(sorted, variant->figures[figure], sizeof sorted);
    return bench_median(sorted, options->rounds);
}

/* Faults with transparent huge pages per cent of those without. */
static double faults_percent(const struct options *options)
{
    return median_of(&variants[ADVISED], FAULTS, options) * 100 /
           median_of(&variants[PLAIN], FAULTS, options);
}

static void print_counters(const struct variant *variant, const struct options *options)
{
    for (int f = DTLB_LOADS; f <= CACHE_MISSES; f++) {
        char number[32];
        const double value = median_of(variant, f, options);
        printf(" %13s", value < 0 ? "no PMU" : bench_number(number, sizeof number, value));
    }
}

/* Reserved huge pages of the default size that are free: without them the rows 2 and size fall
 * back. */
static unsigned long free_pages(void)
{
    char line[128];
    unsigned long pages = 0;
    FILE *in = fopen("/proc/meminfo", "r");
    while (in != NULL && fgets(line, sizeof line, in) != NULL)
        if (strncmp(line, "HugePages_Free:", 15) == 0)
            pages = strtoul(line + 15, NULL, 10);
    if (in != NULL)
        fclose(in);
    return pages;
}

static void print_table(const struct options *options)
{
    printf("  %-18s %lu free\n", "reserved pages", free_pages());
    printf("\nunordered_map reserve(%u) + %u try_emplace: medians of %u, MiB in huge pages\n\n",
           options->elements, options->elements, options->rounds);
    printf("%-13s %9s %8s %8s %8s %11s %9s %13s %13s %13s %13s\n", "variant", "faults", "seconds",
           "user", "sys", "transparent", "reserved", "dTLB loads", "dTLB misses", "cache refs",
           "cache misses");
    for (int i = 0; i < VARIANTS; i++) {
        const struct variant *const v = &variants[i];
        char name[40];
        snprintf(name, sizeof name, "numafy %.30s", strchr(last_setting, '=') + 1);
        printf("%-13s %9.0f %8.3f %8.3f %8.3f %11.0f %9.0f", i == VARIANTS - 1 ? name : v->name,
               median_of(v, FAULTS, options), median_of(v, SECONDS, options),
               median_of(v, USER, options), median_of(v, SYS, options),
               median_of(v, TRANSPARENT, options), median_of(v, RESERVED, options));
        print_counters(v, options);
        putchar('\n');
    }
    printf("\nnumafy 1 has %.2f %% of the faults of numafy 0\n", faults_percent(options));
}

static int write_json(const struct options *options, const struct bench_environment *environment,
                      const char *command, const char *before, const char *after)
{
    FILE *out = fopen(options->json, "w");
    if (out == NULL)
        return -1;
    fputs("{\n", out);
    bench_environment_json(out, command, environment, before, after);
    fprintf(out,
            "  \"reserved_pages_free\": %lu,\n  \"elements\": %u,\n  \"faults_percent\": %.3f,\n  "
            "\"rows\": [\n",
            free_pages(), options->elements, faults_percent(options));
    for (int i = 0; i < VARIANTS; i++) {
        fputs("    {\"variant\": ", out);
        bench_json_string(out, variants[i].name);
        fputs(", \"setting\": ", out);
        bench_json_string(out, variants[i].setting);
        for (int f = 0; f < FIGURES; f++)
            bench_json_array(out, figure_names[f], variants[i].figures[f], options->rounds);
        fprintf(out, "}%s\n", i + 1 < VARIANTS ? "," : "");
    }
    fputs("  ]\n}\n", out);
    return fclose(out);
}

static struct options parse_options(int argc, char **argv)
{
    static const struct option names[] = {{"elements", required_argument, NULL, 'e'},
                                          {"rounds", required_argument, NULL, 'r'},
                                          {"size", required_argument, NULL, 's'},
                                          {"json", required_argument, NULL, 'j'},
                                          {"quick", no_argument, NULL, 'q'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    struct options options = {10000000, 3, NULL};
    int name;
    while ((name = getopt_long(argc, argv, "", names, NULL)) != -1)
        if (name == 'e')
            options.elements = bench_parse_number(optarg, 1, 1000000000, "--elements");
        else if (name == 'r')
            options.rounds = bench_parse_number(optarg, 1, BENCH_MAX_ROUNDS, "--rounds");
        else if (name == 's')
            snprintf(last_setting, sizeof last_setting, "NUMAFY_HUGE=%s", optarg);
        else if (name == 'j')
            options.json = optarg;
        else if (name == 'q')
            options.elements = 200000, options.rounds = 1;
        else {
            fputs(usage_text, name == 'h' ? stdout : stderr);
            exit(name == 'h' ? 0 : 1);
        }
    if (optind < argc)
        bench_die("unknown argument '%s' (see --help)", argv[optind]);
    return options;
}

int main(int argc, char **argv)
{
    static struct bench_environment environment;
    char command[BENCH_FACT_LEN], before[BENCH_FACT_LEN], after[BENCH_FACT_LEN];
    const struct options options = parse_options(argc, argv);
    bench_command_text(command, sizeof command, "bench_hugepages", argc, argv);
    bench_environment_read(&environment);
    bench_load_read(before, sizeof before);
    for (unsigned round = 0; round < options.rounds; round++)
        for (int i = 0; i < VARIANTS; i++)
            for (int time = 0; time < 2; time++)
                run_once(&variants[i], &options, round);
    bench_load_read(after, sizeof after);
    bench_environment_text(stdout, command, &environment, before, after);
    print_table(&options);
    if (options.json != NULL && write_json(&options, &environment, command, before, after) != 0)
        bench_die("%s: %s", options.json, strerror(errno));
    return 0;
}
