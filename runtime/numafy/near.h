/* SPDX-License-Identifier: Apache-2.0 */
/* near.h: what a rewritten file includes. The tags of an allocation (near, on, done), enter/leave
 * around a call, scopes, and the C calls that replace malloc and its family at a site.
 *
 * It must not know how a pool works: every call goes out of line into the runtime (libnumafy, or
 * any unit that includes numa_alloc.h). It includes no system header, so it fits before or after
 * any feature macro, and it is clean in C89 -pedantic and C++98. It takes no short name. */
#ifndef NUMAFY_NEAR_H
#define NUMAFY_NEAR_H
#ifndef NUMAFY_TEST_WARNINGS /* our own warning tests look into these headers */
#pragma GCC system_header
#endif

#define NUMAFY_NO_NODE (-1)    /* the plain heap; the answer "not one of ours" */
#define NUMAFY_LOCAL (-2)      /* the node of the CPU that runs the call */
#define NUMAFY_INTERLEAVE (-3) /* pages dealt round over all nodes */

typedef __SIZE_TYPE__ numafy_size;

#if defined(__has_attribute)
#if __has_attribute(access)
/* An owner is only an address. Without this gcc takes the call for a read through it and warns of
 * uninitialised memory at `t->buf = numafy_malloc_near(t, n)` right after `t = malloc(...)`. */
#define NUMAFY_OWNER_ __attribute__((access(none, 1)))
#endif
#endif
#ifndef NUMAFY_OWNER_
#define NUMAFY_OWNER_
#endif

#ifdef __cplusplus
#if __cplusplus >= 201103L
#define NUMAFY_NOTHROW_ noexcept
#else
#define NUMAFY_NOTHROW_ throw()
#endif
#else
#define NUMAFY_NOTHROW_ __attribute__((nothrow))
#endif
#define NUMAFY_ALWAYS_INLINE_ __attribute__((always_inline))
#define NUMAFY_UNUSED_ __attribute__((unused))

/* A sanitizer that owns malloc: nothing is replaced, the pools are off, and placed forms go to its
 * own operator new, since it checks that new and delete belong together. See docs/runtime.md. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(__SANITIZE_HWADDRESS__)
#define NUMAFY_SANITIZED_
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer) || __has_feature(hwaddress_sanitizer)
#define NUMAFY_SANITIZED_
#endif
#endif

#ifdef NUMAFY_OFF
#include "off.h"
#else

#ifdef __cplusplus
extern "C" {
#endif

/* --- C, documented in numa_alloc.h */
void *numafy_malloc(int node, numafy_size size) NUMAFY_NOTHROW_;
void *numafy_calloc(int node, numafy_size count, numafy_size size) NUMAFY_NOTHROW_;
void *numafy_aligned_alloc(int node, numafy_size alignment, numafy_size size) NUMAFY_NOTHROW_;
void *numafy_realloc(void *p, numafy_size size) NUMAFY_NOTHROW_;
void numafy_free(void *p) NUMAFY_NOTHROW_;
NUMAFY_OWNER_ void *numafy_malloc_near(const volatile void *owner,
                                       numafy_size size) NUMAFY_NOTHROW_;
NUMAFY_OWNER_ void *numafy_calloc_near(const volatile void *owner, numafy_size count,
                                       numafy_size size) NUMAFY_NOTHROW_;
NUMAFY_OWNER_ void *numafy_aligned_alloc_near(const volatile void *owner, numafy_size alignment,
                                              numafy_size size) NUMAFY_NOTHROW_;
NUMAFY_OWNER_ void *numafy_realloc_near(const volatile void *owner, void *p,
                                        numafy_size size) NUMAFY_NOTHROW_;
NUMAFY_OWNER_ int numafy_root_add(const volatile void *p, numafy_size size,
                                  int node) NUMAFY_NOTHROW_;
NUMAFY_OWNER_ void numafy_root_remove(const volatile void *p) NUMAFY_NOTHROW_;
NUMAFY_OWNER_ int numafy_enter(const volatile void *owner) NUMAFY_NOTHROW_;
NUMAFY_OWNER_ void *numafy_leave(const volatile void *result) NUMAFY_NOTHROW_;
long numafy_leave_int(long result) NUMAFY_NOTHROW_;

/* --- entry points of the macros and templates below; not for use by hand */
/* numafy_near_: the node for near(owner). numafy_scope_: the same rule, but the stack and NULL
 * leave the ambient node; makes it ambient and returns the previous one. numafy_new_: 0 alignment
 * means the default one; calls the new handler and throws as operator new does. push_/pop_: entries
 * of ctor(), enter and numa<T,k>, named by the address of the temporary, frame or object. */
enum { NUMAFY_ENTRY_TEMPORARY_ = 0, NUMAFY_ENTRY_FRAME_ = 1, NUMAFY_ENTRY_OBJECT_ = 2 };
NUMAFY_OWNER_ int numafy_near_(const volatile void *owner) NUMAFY_NOTHROW_;
NUMAFY_OWNER_ int numafy_scope_(const volatile void *owner) NUMAFY_NOTHROW_;
int numafy_scope_node_(int node) NUMAFY_NOTHROW_;
void numafy_scope_end_(const int *previous) NUMAFY_NOTHROW_;
NUMAFY_OWNER_ int numafy_enter_at_(const volatile void *owner, const void *frame) NUMAFY_NOTHROW_;
void *numafy_new_(numafy_size size, numafy_size alignment, int node);
void *numafy_new_nothrow_(numafy_size size, numafy_size alignment, int node) NUMAFY_NOTHROW_;
void numafy_push_(const void *key, int node, int kind) NUMAFY_NOTHROW_;
void numafy_pop_(int kind) NUMAFY_NOTHROW_;
void numafy_pop_key_(const void *key) NUMAFY_NOTHROW_;
void numafy_pop_block_(const void *block) NUMAFY_NOTHROW_;

#ifdef __cplusplus
}
#endif

#if defined(__GNUC__) && !defined(__cplusplus)
/* The frame tells enter and leave which entries a longjmp has left behind. */
#define numafy_enter(owner) numafy_enter_at_((owner), __builtin_frame_address(0))
#endif
#endif /* NUMAFY_OFF */

/* One object of `type`, not zeroed, on `node` or on the node of `owner`; NULL if there is none. */
#define NUMAFY_NEW(type, node) ((type *)numafy_malloc((node), sizeof(type)))
#define NUMAFY_NEW_NEAR(type, owner) ((type *)numafy_malloc_near((owner), sizeof(type)))

#define NUMAFY_PASTE2_(a, b) a##b
#define NUMAFY_PASTE_(a, b) NUMAFY_PASTE2_(a, b)
/* NUMAFY_SCOPE(owner); from here to the end of the block plain allocations of this thread go to the
 * owner's node: malloc, operator new, std containers, libraries. Restored at every exit but
 * longjmp. Not in a function that can call itself in tail position, nor in a coroutine. */
#define NUMAFY_SCOPE(owner) NUMAFY_SCOPE_VAR_(numafy_scope_(owner))
#define NUMAFY_SCOPE_NODE(node) NUMAFY_SCOPE_VAR_(numafy_scope_node_(node))
#define NUMAFY_SCOPE_VAR_(start)                                                 \
    __attribute__((cleanup(numafy_scope_end_), unused)) const int NUMAFY_PASTE_( \
        numafy_scope_at_, __LINE__) = (start)

#ifdef __cplusplus
#ifdef NUMAFY_SANITIZED_
#include <new>
#endif
namespace std
{
struct nothrow_t;
#ifdef __cpp_aligned_new
enum class align_val_t : __SIZE_TYPE__;
#endif
} // namespace std

extern "C++" {
namespace numafy
{

/* The argument of a placed new whose construction may allocate: operator new makes the node ambient
 * once it has the block, done() or the matching delete takes it back. Its address names the entry.
 */
struct ctor_place {
    int node;
};

/* Where a tagged new-expression allocates. One type for near, on and numa<T,k>::at, and no
 * template: gcc's -Wmismatched-new-delete would fire on a template. */
struct place {
    int node;
    ctor_place ctor() const NUMAFY_NOTHROW_
    {
        ctor_place c = {node};
        return c;
    }
};

/* near(p): where p's block is. A pool block gives its node, an address in a registered root the
 * root's node, this thread's stack and NULL the ambient node, anything else the plain heap. */
NUMAFY_OWNER_ inline place near(const volatile void *owner) NUMAFY_NOTHROW_
{
    place w = {numafy_near_(owner)};
    return w;
}

/* on(k): node k, or NUMAFY_LOCAL, NUMAFY_INTERLEAVE, NUMAFY_NO_NODE. */
inline place on(int node) NUMAFY_NOTHROW_
{
    place w = {node};
    return w;
}

/* done(::new (near(p).ctor()) T(...)): ends the entry that operator new began. Returns p. */
template <class T>
inline T *done(T *p) NUMAFY_NOTHROW_
{
    numafy_pop_(NUMAFY_ENTRY_TEMPORARY_);
    return p;
}

/* (::numafy::enter(o), ::numafy::leave(f(a))): the plain allocations of f go to o's node. The
 * destructor restores when f throws or leave is not there (a void f). */
class enter
{
  public:
    NUMAFY_OWNER_ explicit enter(const volatile void *owner) NUMAFY_NOTHROW_
    {
        numafy_push_(this, numafy_near_(owner), NUMAFY_ENTRY_TEMPORARY_);
    }
    ~enter() NUMAFY_NOTHROW_ { numafy_pop_key_(this); }

  private:
    enter(const enter &);
    enter &operator=(const enter &);
};

#if __cplusplus >= 201103L
template <class T>
inline T leave(T &&value)
{
    numafy_pop_(NUMAFY_ENTRY_TEMPORARY_);
    return static_cast<T &&>(value);
}
#else
template <class T>
inline T leave(T value)
{
    numafy_pop_(NUMAFY_ENTRY_TEMPORARY_);
    return value;
}
#endif

} // namespace numafy

/* How a block of numafy_n_ bytes begins and ends, plain or aligned; `op` is the global operator. */
#define NUMAFY_ALIGNMENT_ static_cast<numafy_size>(numafy_align_)
#ifdef NUMAFY_SANITIZED_
#define NUMAFY_GET_plain_(op, node) ((void)(node), op(numafy_n_))
#define NUMAFY_GET_aligned_(op, node) ((void)(node), op(numafy_n_, numafy_align_))
#define NUMAFY_TRY_plain_(op, node) ((void)(node), op(numafy_n_, numafy_t_))
#define NUMAFY_TRY_aligned_(op, node) ((void)(node), op(numafy_n_, numafy_align_, numafy_t_))
#define NUMAFY_PUT_plain_(op) op(numafy_p_)
#define NUMAFY_PUT_aligned_(op) op(numafy_p_, numafy_align_)
#else
#define NUMAFY_GET_plain_(op, node) numafy_new_(numafy_n_, 0, node)
#define NUMAFY_GET_aligned_(op, node) numafy_new_(numafy_n_, NUMAFY_ALIGNMENT_, node)
#define NUMAFY_TRY_plain_(op, node) ((void)numafy_t_, numafy_new_nothrow_(numafy_n_, 0, node))
#define NUMAFY_TRY_aligned_(op, node) \
    ((void)numafy_t_, numafy_new_nothrow_(numafy_n_, NUMAFY_ALIGNMENT_, node))
#define NUMAFY_PUT_plain_(op) numafy_free(numafy_p_)
#define NUMAFY_PUT_aligned_(op) numafy_free(numafy_p_)
#endif

/* The eight placed forms for both tags, each with the delete that a throwing constructor calls. */
#define NUMAFY_PLACED_NEW_(array, extra, form)                                                     \
    NUMAFY_ALWAYS_INLINE_ inline void *operator new array(numafy_size numafy_n_ extra,             \
                                                          numafy::place w)                         \
    {                                                                                              \
        return NUMAFY_GET_##form(::operator new array, w.node);                                    \
    }                                                                                              \
    NUMAFY_ALWAYS_INLINE_ inline void *operator new array(                                         \
        numafy_size numafy_n_ extra, numafy::place w, const std::nothrow_t &numafy_t_)             \
        NUMAFY_NOTHROW_                                                                            \
    {                                                                                              \
        return NUMAFY_TRY_##form(::operator new array, w.node);                                    \
    }                                                                                              \
    NUMAFY_ALWAYS_INLINE_ inline void *operator new array(numafy_size numafy_n_ extra,             \
                                                          const numafy::ctor_place &w)             \
    {                                                                                              \
        void *p = NUMAFY_GET_##form(::operator new array, w.node);                                 \
        numafy_push_(&w, w.node, NUMAFY_ENTRY_TEMPORARY_);                                         \
        return p;                                                                                  \
    }                                                                                              \
    NUMAFY_ALWAYS_INLINE_ inline void *operator new array(                                         \
        numafy_size numafy_n_ extra, const numafy::ctor_place &w, const std::nothrow_t &numafy_t_) \
        NUMAFY_NOTHROW_                                                                            \
    {                                                                                              \
        void *p = NUMAFY_TRY_##form(::operator new array, w.node);                                 \
        numafy_push_(&w, w.node, NUMAFY_ENTRY_TEMPORARY_);                                         \
        return p;                                                                                  \
    }
#define NUMAFY_PLACED_DELETE_(array, extra, form)                                                  \
    NUMAFY_ALWAYS_INLINE_ inline void operator delete array(void *numafy_p_ extra, numafy::place)  \
        NUMAFY_NOTHROW_                                                                            \
    {                                                                                              \
        NUMAFY_PUT_##form(::operator delete array);                                                \
    }                                                                                              \
    NUMAFY_ALWAYS_INLINE_ inline void operator delete array(                                       \
        void *numafy_p_ extra, numafy::place, const std::nothrow_t &) NUMAFY_NOTHROW_              \
    {                                                                                              \
        NUMAFY_PUT_##form(::operator delete array);                                                \
    }                                                                                              \
    NUMAFY_ALWAYS_INLINE_ inline void operator delete array(                                       \
        void *numafy_p_ extra, const numafy::ctor_place &) NUMAFY_NOTHROW_                         \
    {                                                                                              \
        numafy_pop_(NUMAFY_ENTRY_TEMPORARY_);                                                      \
        NUMAFY_PUT_##form(::operator delete array);                                                \
    }                                                                                              \
    NUMAFY_ALWAYS_INLINE_ inline void operator delete array(                                       \
        void *numafy_p_ extra, const numafy::ctor_place &, const std::nothrow_t &) NUMAFY_NOTHROW_ \
    {                                                                                              \
        numafy_pop_(NUMAFY_ENTRY_TEMPORARY_);                                                      \
        NUMAFY_PUT_##form(::operator delete array);                                                \
    }
#define NUMAFY_NOTHING_
#define NUMAFY_ARRAY_ []
NUMAFY_PLACED_NEW_(NUMAFY_NOTHING_, NUMAFY_NOTHING_, plain_)
NUMAFY_PLACED_NEW_(NUMAFY_ARRAY_, NUMAFY_NOTHING_, plain_)
NUMAFY_PLACED_DELETE_(NUMAFY_NOTHING_, NUMAFY_NOTHING_, plain_)
NUMAFY_PLACED_DELETE_(NUMAFY_ARRAY_, NUMAFY_NOTHING_, plain_)
#ifdef __cpp_aligned_new
#define NUMAFY_ALIGNED_ , std::align_val_t numafy_align_
NUMAFY_PLACED_NEW_(NUMAFY_NOTHING_, NUMAFY_ALIGNED_, aligned_)
NUMAFY_PLACED_NEW_(NUMAFY_ARRAY_, NUMAFY_ALIGNED_, aligned_)
NUMAFY_PLACED_DELETE_(NUMAFY_NOTHING_, NUMAFY_ALIGNED_ NUMAFY_UNUSED_, aligned_)
NUMAFY_PLACED_DELETE_(NUMAFY_ARRAY_, NUMAFY_ALIGNED_ NUMAFY_UNUSED_, aligned_)
#endif
#undef NUMAFY_PLACED_NEW_
#undef NUMAFY_PLACED_DELETE_
} /* extern "C++" */

#if __cplusplus >= 201103L
#include "type.hpp"
#else
extern "C++" {
namespace numafy
{
/* C++98 has no inherited constructors: only the tag is there. */
template <class T, int K>
struct numa {
    static const place at;
};
template <class T, int K>
const place numa<T, K>::at = {K};
} // namespace numafy
}
#endif
#undef NUMAFY_GET_plain_
#undef NUMAFY_GET_aligned_
#undef NUMAFY_TRY_plain_
#undef NUMAFY_TRY_aligned_
#undef NUMAFY_PUT_plain_
#undef NUMAFY_PUT_aligned_
#undef NUMAFY_ALIGNMENT_
#undef NUMAFY_NOTHING_
#undef NUMAFY_ARRAY_
#undef NUMAFY_ALIGNED_
#endif /* __cplusplus */
#endif /* NUMAFY_NEAR_H */
