// SPDX-License-Identifier: Apache-2.0
#include "objects.hpp"

#include "numa_alloc.h"
#include "object.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>

#ifndef NUMAFY_OFF
#include <jemalloc/jemalloc.h>
#endif

namespace
{

// One size of Object, and what makes and deletes one.
struct Type {
    std::uint32_t size;
    unsigned char *(*typed_new[static_nodes])(std::uint64_t mark);
    void (*typed_delete[static_nodes])(void *p);
    unsigned char *(*exact_new)(int node, std::uint64_t mark);
    void (*exact_delete)(void *p);
};

template <std::size_t Size, int Node>
unsigned char *typed_new(std::uint64_t mark)
{
    return reinterpret_cast<unsigned char *>(new numa<Object<Size>, Node>(mark));
}
template <std::size_t Size, int Node>
void typed_delete(void *p)
{
    delete static_cast<numa<Object<Size>, Node> *>(p);
}
template <std::size_t Size>
unsigned char *exact_new(int node, std::uint64_t mark)
{
    return reinterpret_cast<unsigned char *>(::new (numafy::on(node)) Object<Size>(mark));
}
template <std::size_t Size>
void exact_delete(void *p)
{
    delete static_cast<Object<Size> *>(p);
}

template <std::size_t Size>
constexpr Type type_of()
{
    static_assert(static_nodes == 4, "one entry per node");
    return {Size,
            {typed_new<Size, 0>, typed_new<Size, 1>, typed_new<Size, 2>, typed_new<Size, 3>},
            {typed_delete<Size, 0>, typed_delete<Size, 1>, typed_delete<Size, 2>,
             typed_delete<Size, 3>},
            exact_new<Size>,
            exact_delete<Size>};
}

constexpr Type types[] = {type_of<16>(),   type_of<24>(),   type_of<32>(),   type_of<48>(),
                          type_of<64>(),   type_of<96>(),   type_of<128>(),  type_of<192>(),
                          type_of<256>(),  type_of<512>(),  type_of<1024>(), type_of<2048>(),
                          type_of<4096>(), type_of<8192>(), type_of<32768>()};
constexpr unsigned type_count = std::size(types);

// Of 1,000 objects, how many are of the types up to this one.
constexpr unsigned shares[type_count] = {120, 240, 360, 480, 600, 690, 780, 860,
                                         940, 970, 990, 994, 998, 999, 1000};

bool all_zero(const unsigned char *p, std::size_t size)
{
    return std::all_of(p, p + size, [](unsigned char byte) { return byte == 0; });
}

} // namespace

const char *form_name(Form form)
{
    static const char *const names[] = {"new numa<T,k>",
                                        "new (numafy::on(node)) T",
                                        "numafy_malloc",
                                        "numafy_calloc",
                                        "numafy_aligned_alloc",
                                        "numafy_malloc and realloc",
                                        "numafy_malloc_near",
                                        "malloc",
                                        "new",
                                        "calloc",
                                        "malloc and realloc"};
    static_assert(std::size(names) == static_cast<std::size_t>(Form::plain_end), "one per form");
    return names[static_cast<std::size_t>(form)];
}

unsigned Maker::draw_type()
{
    const std::uint64_t share = rng_.below(1000);
    unsigned type = 0;
    while (shares[type] <= share)
        ++type;
    return type;
}

Held Maker::make(int node, std::uint64_t mark)
{
    Held held;
    held.node = static_cast<std::int16_t>(node);
    held.mark = mark;
    held.type = static_cast<std::uint8_t>(draw_type());
    held.size = types[held.type].size;
    if (held.placed())
        make_placed(held);
    else
        make_plain(held);
    if (held.p)
        mark_write(held);
    return held;
}

void Maker::make_placed(Held &held)
{
    const auto forms = static_cast<std::uint64_t>(Form::placed_forms);
    auto owner = std::find_if(owners_.begin(), owners_.end(),
                              [&](const auto &entry) { return entry.first == held.node; });
    held.form = static_cast<Form>(rng_.below(forms));
    if ((held.form == Form::typed && held.node >= static_nodes) ||
        (held.form == Form::near_by && owner == owners_.end()))
        held.form = Form::by_node;
    // Calls that are told a size are also told one that is no size class.
    if (held.form != Form::typed && held.form != Form::exact && held.size > 16)
        held.size -= static_cast<std::uint32_t>(rng_.below(8));

    const int node = held.node;
    void *p = nullptr;
    switch (held.form) {
    case Form::typed:
        p = types[held.type].typed_new[node](held.mark);
        break;
    case Form::exact:
        p = types[held.type].exact_new(node, held.mark);
        break;
    case Form::zeroed:
        p = numafy_calloc(node, 1, held.size);
        held.dirty = p && !all_zero(static_cast<unsigned char *>(p), held.size);
        break;
    case Form::aligned:
        p = numafy_aligned_alloc(node, 64, held.size);
        break;
    case Form::grown:
        p = numafy_malloc(node, 16);
        if (void *grown = p ? std::realloc(p, held.size) : nullptr)
            p = grown;
        break;
    case Form::near_by:
        p = numafy_malloc_near(owner->second, held.size);
        break;
    default:
        p = numafy_malloc(node, held.size);
    }
    held.p = static_cast<unsigned char *>(p);
    if (!p)
        return;
    if (owner == owners_.end())
        owners_.emplace_back(node, p);
    else
        owner->second = p;
}

void Maker::make_plain(Held &held)
{
    const auto first = static_cast<std::uint64_t>(Form::placed_forms);
    const auto forms = static_cast<std::uint64_t>(Form::plain_end) - first;
    held.form = static_cast<Form>(first + rng_.below(forms));
    void *p = nullptr;
    switch (held.form) {
    case Form::plain_new:
        p = new (std::nothrow) unsigned char[held.size];
        break;
    case Form::plain_calloc:
        p = std::calloc(1, held.size);
        held.dirty = p && !all_zero(static_cast<unsigned char *>(p), held.size);
        break;
    case Form::plain_grown:
        p = std::malloc(16);
        if (void *grown = p ? std::realloc(p, held.size) : nullptr)
            p = grown;
        break;
    default:
        p = std::malloc(held.size);
    }
    held.p = static_cast<unsigned char *>(p);
}

// A word at the beginning and a byte in every page and at the end, so that all pages are there.
void mark_write(const Held &held)
{
    std::memcpy(held.p, &held.mark, sizeof held.mark);
    for (std::size_t at = sizeof held.mark; at < held.size; at += suite::PageNodes::page_size)
        held.p[at] = static_cast<unsigned char>(held.mark);
    held.p[held.size - 1] = static_cast<unsigned char>(held.mark);
}

bool mark_kept(const Held &held)
{
    const auto byte = static_cast<unsigned char>(held.mark);
    bool kept = std::memcmp(held.p, &held.mark, sizeof held.mark) == 0;
    for (std::size_t at = sizeof held.mark; at < held.size; at += suite::PageNodes::page_size)
        kept = kept && held.p[at] == byte;
    return kept && held.p[held.size - 1] == byte;
}

void held_free(Held &held, Freeing freeing)
{
    void *p = held.borrowed ? nullptr : held.p;
    held.p = nullptr;
#ifndef NUMAFY_OFF
    if (freeing == Freeing::automatic_tcache) {
        if (p)
            dallocx(p, 0);
        return;
    }
#endif
    (void)freeing;
    if (!p)
        return;
    switch (held.form) {
    case Form::typed:
        types[held.type].typed_delete[held.node](p);
        break;
    case Form::exact:
        types[held.type].exact_delete(p);
        break;
    case Form::plain_new:
        delete[] static_cast<unsigned char *>(p);
        break;
    case Form::zeroed:
    case Form::near_by:
        numafy_free(p);
        break;
    default:
        std::free(p);
    }
}

bool held_resize(Held &held, std::uint32_t size)
{
    void *p = std::realloc(held.p, size);
    if (!p)
        return false;
    held.p = static_cast<unsigned char *>(p);
    held.size = size;
    held.form = held.placed() ? Form::grown : Form::plain_grown;
    mark_write(held);
    return true;
}
