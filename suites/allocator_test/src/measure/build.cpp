// SPDX-License-Identifier: Apache-2.0
#include "build.hpp"

#ifndef NUMAFY_OFF
#include <jemalloc/jemalloc.h>
#endif

std::string build_text()
{
#if defined(NUMAFY_OFF)
    return "without the runtime: numa<T,k> is plain";
#elif defined(NUMAFY_CACHE_ONNODE)
    return "UMF=0: numa<T,k> is libnuma's numa_alloc_onnode";
#else
    return "UMF=1: numa<T,k> in our pools";
#endif
}

std::string build_jemalloc()
{
#ifndef NUMAFY_OFF
    const char *version = nullptr;
    std::size_t size = sizeof version;
    if (mallctl("version", &version, &size, nullptr, 0) == 0)
        return version;
#endif
    return "none";
}
