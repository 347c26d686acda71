// SPDX-License-Identifier: Apache-2.0
// map.cpp: the program of glibc's thread about huge pages (libc-alpha, August 2021): a hash table
// of N elements, its room reserved before. Linked three times: with nothing, with jemalloc, with us
// (then all that it allocates is on node 0). Prints one line of `name value` pairs for main.c: what
// the kernel and the processor counted between the start of main and the last insertion.
#ifdef MAP_NUMAFY
#include "numa_alloc.h"
#endif

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unordered_map>

namespace
{

const unsigned cache_dtlb = PERF_COUNT_HW_CACHE_DTLB | PERF_COUNT_HW_CACHE_OP_READ << 8;
const struct {
    const char *name;
    unsigned type, config;
} events[] = {
    {"dtlb_loads", PERF_TYPE_HW_CACHE, cache_dtlb | PERF_COUNT_HW_CACHE_RESULT_ACCESS << 16},
    {"dtlb_misses", PERF_TYPE_HW_CACHE, cache_dtlb | PERF_COUNT_HW_CACHE_RESULT_MISS << 16},
    {"cache_refs", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
};
const int event_count = sizeof events / sizeof events[0];

int event_open(unsigned type, unsigned config)
{
    perf_event_attr attributes;
    std::memset(&attributes, 0, sizeof attributes);
    attributes.size = sizeof attributes;
    attributes.type = type;
    attributes.config = config;
    return static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
}

double seconds_now()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

double seconds(const timeval &t)
{
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

// A line of /proc/self/smaps_rollup in KiB.
unsigned long rollup(const char *key)
{
    char line[256];
    unsigned long kib = 0;
    std::FILE *f = std::fopen("/proc/self/smaps_rollup", "r");
    while (f && std::fgets(line, sizeof line, f))
        if (!std::strncmp(line, key, std::strlen(key)))
            kib = std::strtoul(line + std::strlen(key), nullptr, 10);
    if (f)
        std::fclose(f);
    return kib;
}

} // namespace

int main(int argc, char **argv)
{
    const std::size_t iters = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 10000000;
    int counters[event_count];
    rusage before, after;
    for (int i = 0; i < event_count; i++)
        counters[i] = event_open(events[i].type, events[i].config);
#ifdef MAP_NUMAFY
    NUMAFY_SCOPE_NODE(0);
#endif
    getrusage(RUSAGE_SELF, &before);
    const double start = seconds_now();
    std::unordered_map<std::size_t, std::size_t> ht;
    ht.reserve(iters);
    for (std::size_t i = 0; i < iters; ++i)
        ht.try_emplace(i, i);
    const double end = seconds_now();
    getrusage(RUSAGE_SELF, &after);
    for (int i = 0; i < event_count; i++) {
        long long value = -1;
        if (counters[i] >= 0 && read(counters[i], &value, sizeof value) != sizeof value)
            value = -1;
        std::printf("%s %lld ", events[i].name, value);
    }
    std::printf("faults %ld seconds %.4f user %.4f sys %.4f transparent %.1f reserved %.1f\n",
                after.ru_minflt - before.ru_minflt, end - start,
                seconds(after.ru_utime) - seconds(before.ru_utime),
                seconds(after.ru_stime) - seconds(before.ru_stime),
                static_cast<double>(rollup("AnonHugePages:")) / 1024,
                static_cast<double>(rollup("Private_Hugetlb:")) / 1024);
    // The program of the thread ends here and destroys the map, which nobody counted either.
    std::fflush(stdout);
    _exit(ht.size() == iters ? 0 : 1);
}
