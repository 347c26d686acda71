// SPDX-License-Identifier: Apache-2.0
#include "control.hpp"

#include "command_line.hpp"
#include "numa_alloc.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numaif.h>

namespace
{

// Objects; a prime, so that all nodes and forms have their turn.
constexpr std::uint64_t every = 101;

void *page_of(const void *p)
{
    return reinterpret_cast<void *>(reinterpret_cast<std::uintptr_t>(p) &
                                    ~(std::uintptr_t{suite::PageNodes::page_size} - 1));
}

void page_move(void *p, int node)
{
    void *page = page_of(p);
    int status = 0;
    syscall(SYS_move_pages, 0, 1ul, &page, &node, &status, MPOL_MF_MOVE);
}

void page_bind(void *p, int node)
{
    unsigned long mask[16] = {};
    constexpr auto bits = 8 * sizeof *mask;
    mask[static_cast<std::size_t>(node) / bits] = 1ul << static_cast<std::size_t>(node) % bits;
    syscall(SYS_mbind, page_of(p), suite::PageNodes::page_size, MPOL_PREFERRED, mask,
            8 * sizeof mask, 0u);
}

bool pools_are_jemalloc()
{
#if defined(NUMAFY_OFF) || defined(NUMAFY_CACHE_ONNODE)
    return false;
#else
    const char *cache = std::getenv("NUMAFY_CACHE");
    return !cache || std::strcmp(cache, "onnode") != 0;
#endif
}

// The first node of the machine with memory, other than one of them; -1 if there is none.
int memory_node_but(int other)
{
    for (int node = 0; node < 1024; ++node) {
        if (node != other && suite::node_has_memory(node))
            return node;
    }
    return -1;
}

} // namespace

Saboteur::Saboteur(const Options &options) : control_(options.control_kind()), nodes_(options.nodes)
{
    const auto refuse = [&](const std::string &why) {
        throw suite::UsageError("--control=" + options.control + ": " + why);
    };
    if (control_ != Control::none && control_ != Control::shared && !suite::placement_built_in)
        refuse("this build has no runtime");
    if (control_ == Control::tcache && !pools_are_jemalloc())
        refuse("no pools of jemalloc's here");
    if (control_ == Control::pages && memory_node_but(memory_node_but(-1)) < 0)
        refuse("this machine has one node with memory");
    if ((control_ == Control::bound || control_ == Control::pages) && !suite::binding_allowed())
        refuse("this system forbids binding memory");
}

Freeing Saboteur::freeing() const
{
    return control_ == Control::tcache ? Freeing::automatic_tcache : Freeing::by_form;
}

// Another block for the same entry, from the pool of `node`.
void Saboteur::replace(Held &held, int node) const
{
    held_free(held, Freeing::by_form);
    held.form = held.placed() ? Form::by_node : Form::plain_malloc;
    held.p = static_cast<unsigned char *>(numafy_malloc(node, held.size));
    if (held.p)
        mark_write(held);
}

void Saboteur::spoil(Held &held, const Held *previous, std::uint64_t index) const
{
    if (control_ == Control::none || index % every != every / 2 || !held.p)
        return;
    if (control_ == Control::node && held.placed()) {
        const auto at = std::find(nodes_.begin(), nodes_.end(), held.node) - nodes_.begin() + 1;
        replace(held, nodes_.size() > 1
                          ? static_cast<int>(nodes_[static_cast<std::size_t>(at) % nodes_.size()])
                          : held.node + 1);
    } else if (control_ == Control::pages && held.placed()) {
        page_move(held.p, memory_node_but(suite::physical_node(held.node)));
    } else if (control_ == Control::plain && !held.placed()) {
        replace(held, static_cast<int>(nodes_[0]));
    } else if (control_ == Control::bound && !held.placed()) {
        page_bind(held.p, memory_node_but(-1));
    } else if (control_ == Control::shared && previous && previous->p && !previous->borrowed) {
        held_free(held, Freeing::by_form);
        held.p = previous->p;
        held.size = previous->size;
        held.node = previous->node;
        held.borrowed = true;
        mark_write(held);
    }
}
