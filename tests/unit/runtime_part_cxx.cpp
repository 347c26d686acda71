// SPDX-License-Identifier: Apache-2.0
// runtime_part_cxx.cpp: one more C++ unit with the header in the same program.
#include "runtime_inside.h"
#include "runtime_parts.h"

#include <new>

void *part_cxx_new(int node)
{
    return ::new (::numafy::on(node)) int[4];
}
void part_cxx_delete(void *p)
{
    delete[] static_cast<int *>(p);
}
void *part_cxx_plain_new()
{
    return ::operator new(40);
}
void part_cxx_sized_delete(void *p, std::size_t size)
{
    (void)size;
#ifdef __cpp_sized_deallocation
    ::operator delete(p, size);
#else
    ::operator delete(p);
#endif
}
const void *part_cxx_state()
{
    return &numafy_state_v3;
}
