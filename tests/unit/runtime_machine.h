// SPDX-License-Identifier: Apache-2.0
/* runtime_machine.h: machines that exist as a sysfs tree only. Include it behind cmocka.h; main
 * takes make_root and remove_root as group fixtures. */
#ifndef RUNTIME_MACHINE_H
#define RUNTIME_MACHINE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

// --- fake machines
static char root[] = "/tmp/numafy-sysfs-XXXXXX";
static char root_env[64];

static void put(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/devices/system/node/%s", root, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void put_node(int node, const char *distance, const char *cpus)
{
    char path[256];
    snprintf(path, sizeof path, "%s/devices/system/node/node%d", root, node);
    mkdir(path, 0755);
    snprintf(path, sizeof path, "node%d/distance", node);
    put(path, distance);
    snprintf(path, sizeof path, "node%d/cpulist", node);
    put(path, cpus);
}

static void put_allowed(const char *list)
{
    char path[256];
    snprintf(path, sizeof path, "%s/self_status", root);
    if (!list) {
        unlink(path);
        return;
    }
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "Name:\tx\nMems_allowed:\tff\nMems_allowed_list:\t%s\nlast:\t1\n", list);
    fclose(f);
}

static void machine(const char *online, const char *memory, const char *cpus)
{
    put("online", online);
    put("has_memory", memory);
    put("has_cpu", cpus);
    put_allowed(NULL);
}

static int make_root(void **state)
{
    (void)state;
    char path[256];
    if (!mkdtemp(root))
        return -1;
    const char *const parts[] = {"devices", "devices/system", "devices/system/node"};
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", root, parts[i]);
        if (mkdir(path, 0755))
            return -1;
    }
    snprintf(root_env, sizeof root_env, "NUMAFY_SYSFS=%s", root);
    return 0;
}

static int remove_root(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", root);
    return system(command);
}

/* Two nodes of one CPU each. */
static void machine_pair(void)
{
    machine("0-1\n", "0-1\n", "0-1\n");
    put_node(0, "10 20\n", "0\n");
    put_node(1, "20 10\n", "1\n");
}

#endif
