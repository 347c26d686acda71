/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of output that the parents share: numbers for people, JSON, the machine. */
#include <stdlib.h>
#include <string.h>

#include "parent.h"

const char *bench_number(char *text, size_t len, double value)
{
    if (value >= 999.5) {
        const unsigned long whole = (unsigned long)(value + 0.5);
        if (whole >= 1000000)
            snprintf(text, len, "%lu,%03lu,%03lu", whole / 1000000, whole / 1000 % 1000,
                     whole % 1000);
        else
            snprintf(text, len, "%lu,%03lu", whole / 1000, whole % 1000);
    } else {
        snprintf(text, len, "%.*f", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value);
    }
    return text;
}

void bench_json_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20)
            fprintf(out, "\\u%04x", (unsigned)*text);
        else if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
    }
    fputc('"', out);
}

void bench_json_array(FILE *out, const char *name, const double *values, size_t count)
{
    fprintf(out, ", \"%s\": [", name);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%.4f", i != 0 ? ", " : "", values[i]);
    fputc(']', out);
}

void bench_environment_text(FILE *out, const char *command,
                            const struct bench_environment *environment, const char *load_before,
                            const char *load_after)
{
    fprintf(out, "%s\n", command);
    for (size_t i = 0; i < environment->count; i++)
        fprintf(out, "  %-18s %s\n", environment->facts[i].name, environment->facts[i].value);
    fprintf(out, "  %-18s %s before, %s after\n", "load", load_before, load_after);
}

void bench_environment_json(FILE *out, const char *command,
                            const struct bench_environment *environment, const char *load_before,
                            const char *load_after)
{
    fputs("  \"command\": ", out);
    bench_json_string(out, command);
    fputs(",\n  \"environment\": {", out);
    for (size_t i = 0; i < environment->count; i++) {
        bench_json_string(out, environment->facts[i].name);
        fputs(": ", out);
        bench_json_string(out, environment->facts[i].value);
        fputs(", ", out);
    }
    fputs("\"load before\": ", out);
    bench_json_string(out, load_before);
    fputs(", \"load after\": ", out);
    bench_json_string(out, load_after);
    fputs("},\n", out);
}

void bench_command_text(char *text, size_t len, const char *name, int argc, char **argv)
{
    size_t used = (size_t)snprintf(text, len, "%s", name);
    for (int i = 1; i < argc && used < len; i++) {
        if (strcmp(argv[i], "--json") == 0)
            i++;
        else
            used += (size_t)snprintf(text + used, len - used, " %s", argv[i]);
    }
}
