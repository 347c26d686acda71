// SPDX-License-Identifier: Apache-2.0
// What a reader must know about the machine to judge a suite's figures, as names and values.
// Nothing that names the machine itself: no host, no paths, no users.
#ifndef NUMAFY_SUITES_ENVIRONMENT_HPP
#define NUMAFY_SUITES_ENVIRONMENT_HPP

#include "csv.hpp"

#include <cstdlib>
#include <fstream>
#include <gnu/libc-version.h>
#include <iomanip>
#include <ostream>
#include <sched.h>
#include <sstream>
#include <string>
#include <sys/utsname.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace suite
{

// CPUs that this process may use: more threads than these take turns.
inline unsigned usable_cpus()
{
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        return static_cast<unsigned>(CPU_COUNT(&allowed));
    const long online = sysconf(_SC_NPROCESSORS_ONLN); // more CPUs than a cpu_set_t has
    return online < 1 ? 1 : static_cast<unsigned>(online);
}

class Environment
{
  public:
    Environment()
    {
        read_cpus();
        read_kernel();
        read_settings();
    }

    void add(const std::string &name, const std::string &value)
    {
        facts_.emplace_back(name, value.empty() ? "unknown" : value);
    }

    void print(std::ostream &out) const
    {
        for (const auto &fact : facts_)
            out << "  " << std::left << std::setw(19) << fact.first << fact.second << '\n';
    }

    // One JSON object.
    void print_json(std::ostream &out, const std::string &indent) const
    {
        out << '{';
        const char *separator = "\n";
        for (const auto &fact : facts_) {
            out << separator << indent << ' ' << json_string(fact.first) << ": "
                << json_string(fact.second);
            separator = ",\n";
        }
        out << '\n' << indent << '}';
    }

  private:
    // The first line of a file, or the value of its first line `key : value`.
    static std::string line_of(const std::string &path, const std::string &key = "")
    {
        std::ifstream in(path);
        for (std::string line; std::getline(in, line);) {
            if (line.compare(0, key.size(), key) != 0)
                continue;
            const auto value = line.find_first_not_of(" \t:", key.size());
            return value == std::string::npos ? "" : line.substr(value);
        }
        return "";
    }

    static std::string or_none(const std::string &text) { return text.empty() ? "none" : text; }

    void read_cpus()
    {
        const std::string first = "/sys/devices/system/cpu/cpu0/cpufreq/";
        const bool guest =
            line_of("/proc/cpuinfo", "flags").find(" hypervisor") != std::string::npos;
        add("CPU", line_of("/proc/cpuinfo", "model name"));
        add("virtual machine", guest ? "yes" : "not seen");
        add("CPUs", std::to_string(usable_cpus()) + " allowed of " +
                        std::to_string(sysconf(_SC_NPROCESSORS_ONLN)) + " online");
        add("governor", or_none(line_of(first + "scaling_governor")));
        double load[3] = {0, 0, 0};
        if (getloadavg(load, 3) == 3) {
            std::ostringstream text;
            text << std::fixed << std::setprecision(2) << load[0] << ' ' << load[1] << ' '
                 << load[2];
            add("load", text.str());
        }
    }

    void read_kernel()
    {
        const std::string nodes = "/sys/devices/system/node/";
        struct utsname system {
        };
        uname(&system);
        add("kernel", std::string(system.sysname) + ' ' + system.release);
        add("nodes with CPUs", or_none(line_of(nodes + "has_cpu")));
        add("nodes with memory", or_none(line_of(nodes + "has_memory")));
        add("THP", or_none(line_of("/sys/kernel/mm/transparent_hugepage/enabled")));
        add("numa_balancing", or_none(line_of("/proc/sys/kernel/numa_balancing")));
        add("glibc", gnu_get_libc_version());
#ifdef __clang__
        add("compiler", __VERSION__);
#else
        add("compiler", "gcc " __VERSION__);
#endif
    }

    // Variables that change what is measured.
    void read_settings()
    {
        for (const char *name : {"MALLOC_CONF", "GLIBC_TUNABLES", "LD_PRELOAD", "NUMAFY_CACHE",
                                 "NUMAFY_HUGE", "NUMAFY_MODE", "NUMAFY_NODEMAP", "NUMAFY_SHARDS"}) {
            if (const char *value = std::getenv(name))
                add(name, value);
        }
    }

    std::vector<std::pair<std::string, std::string>> facts_;
};

} // namespace suite

#endif
