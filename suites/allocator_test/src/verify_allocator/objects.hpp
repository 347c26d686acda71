// SPDX-License-Identifier: Apache-2.0
// Objects of every form that a program may ask for, made, marked and freed. Knows nothing of
// threads and checks.
#ifndef VERIFY_ALLOCATOR_OBJECTS_HPP
#define VERIFY_ALLOCATOR_OBJECTS_HPP

#include "placement.hpp"
#include "rng.hpp"

#include <cstdint>
#include <vector>

// Sizes are 16 to 32768 bytes, mostly those of nodes of trees and lists: 180 on average.
enum class Form : std::uint8_t {
    typed,   // new numa<T, k>, deleted as such
    exact,   // ::new (numafy::on(node)) T, deleted as T
    by_node, // numafy_malloc
    zeroed,  // numafy_calloc
    aligned, // numafy_aligned_alloc, 64 bytes
    grown,   // numafy_malloc of a few bytes, then realloc
    near_by, // numafy_malloc_near an object of that node
    placed_forms,
    plain_malloc = placed_forms, // malloc
    plain_new,                   // new
    plain_calloc,                // calloc
    plain_grown,                 // malloc, then realloc
    plain_end,
};

const char *form_name(Form form);

struct Held {
    unsigned char *p = nullptr;
    std::uint32_t size = 0; // bytes
    std::int16_t node = suite::plain_heap;
    Form form = Form::by_node;
    std::uint8_t type = 0;  // which size of Object, for `typed` and `exact`
    bool dirty = false;     // calloc's bytes were not zero
    bool borrowed = false;  // another one's block (Control::shared): not to be freed
    std::uint64_t mark = 0; // what was written into it

    bool placed() const { return node != suite::plain_heap; }
};

// How frees are done: as the form says, or all by jemalloc's dallocx(p, 0).
enum class Freeing { by_form, automatic_tcache };

// A maker per thread; the objects belong to nobody.
class Maker
{
  public:
    explicit Maker(std::uint64_t seed) : rng_(seed) {}

    // An object on a node, or a plain one if it is plain_heap; p is NULL if there was no memory.
    Held make(int node, std::uint64_t mark);
    // Before the objects made so far are freed: none of them is the owner of another any more.
    void forget_owners() { owners_.clear(); }
    suite::Rng &rng() { return rng_; }

  private:
    unsigned draw_type();
    void make_placed(Held &held);
    void make_plain(Held &held);

    suite::Rng rng_;
    std::vector<std::pair<int, const void *>> owners_; // by node, the last object there
};

void mark_write(const Held &held);
// False: somebody else has written there.
bool mark_kept(const Held &held);

void held_free(Held &held, Freeing freeing);

// Gives the object another size by realloc and marks it anew. False: no memory, it is as it was.
bool held_resize(Held &held, std::uint32_t size);

#endif
