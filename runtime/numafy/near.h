/* SPDX-License-Identifier: Apache-2.0 */
/* near.h: what a rewritten file includes. The tags of an allocation (near, on, done), enter/leave
 * around a call, scopes, and the C calls that replace malloc and its family at a site.
 *
 * It must not know how a pool works: calls go out of line into the runtime (libnumafy, or any unit
 * that includes numa_alloc.h), but for those of numa<T,k>, which cache.h serves. It includes no
 * system header, so it fits before or after any feature macro, and it is clean in C89 -pedantic and
 * C++98. It takes no short name, and a macro of the file around it does no harm: apart from the
 * public names every identifier in here begins with numafy_ or NUMAFY_, template parameters and
 * attributes too. */
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
#if __has_attribute(__access__)
/* An owner is only an address. Without this gcc takes the call for a read through it and warns of
 * uninitialised memory at `t->buf = numafy_malloc_near(t, n)` right after `t = malloc(...)`. */
#define NUMAFY_OWNER_AT_(argument) __attribute__((__access__(__none__, argument)))
#endif
#endif
#ifndef NUMAFY_OWNER_AT_
#define NUMAFY_OWNER_AT_(argument)
#endif
#define NUMAFY_OWNER_ NUMAFY_OWNER_AT_(1)

#ifdef __cplusplus
#if __cplusplus >= 201103L
#define NUMAFY_NOTHROW_ noexcept
#else
#define NUMAFY_NOTHROW_ throw()
#endif
#define NUMAFY_NOTHROW_DEF_ NUMAFY_NOTHROW_
#else
#define NUMAFY_NOTHROW_ __attribute__((__nothrow__))
#define NUMAFY_NOTHROW_DEF_ /* C takes no attribute behind the declarator of a definition */
#endif
#define NUMAFY_ALWAYS_INLINE_ __attribute__((__always_inline__))
#define NUMAFY_UNUSED_ __attribute__((__unused__))

/* A sanitizer that owns malloc: nothing is replaced, the pools are off, and placed forms go to its
 * own operator new, since it checks that new and delete belong together. See docs/runtime.md. */
#if defined(__SANITIZE_ADDRESS__)
#define NUMAFY_ASAN_
#elif defined(__SANITIZE_THREAD__)
#define NUMAFY_TSAN_
#elif defined(__SANITIZE_HWADDRESS__)
#define NUMAFY_SANITIZED_
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NUMAFY_ASAN_
#elif __has_feature(thread_sanitizer)
#define NUMAFY_TSAN_
#elif __has_feature(memory_sanitizer) || __has_feature(hwaddress_sanitizer)
#define NUMAFY_SANITIZED_
#endif
#endif

/* ThreadSanitizer follows our locks and atomics; where malloc stays its own the pools may be on. */
#if defined(NUMAFY_TSAN_) && !(defined(NUMAFY_SANITIZE_POOLS) && defined(NUMAFY_NO_REPLACE))
#define NUMAFY_SANITIZED_
#endif

/* With NUMAFY_SANITIZE_POOLS AddressSanitizer watches the pools instead (sanitize.h). What runs
 * while it starts itself must not be instrumented. */
#if defined(NUMAFY_ASAN_) && defined(NUMAFY_SANITIZE_POOLS)
#define NUMAFY_POISONS_ 1
#define NUMAFY_UNSEEN_ __attribute__((__no_sanitize_address__))
#else
#ifdef NUMAFY_ASAN_
#define NUMAFY_SANITIZED_
#endif
#define NUMAFY_POISONS_ 0
#define NUMAFY_UNSEEN_
#endif

/* Whether placed forms are the program's own operator new. */
#if defined(NUMAFY_SANITIZED_) || defined(NUMAFY_OFF)
#define NUMAFY_PASSES_
#endif

#include "site.h"

#ifdef NUMAFY_OFF
#include "off.h"
#else

#ifdef __cplusplus
extern "C" {
#endif

/* --- C, documented in numa_alloc.h */
void *numafy_malloc(int numafy_node_, numafy_size numafy_size_) NUMAFY_NOTHROW_;
void *numafy_calloc(int numafy_node_, numafy_size numafy_count_,
                    numafy_size numafy_size_) NUMAFY_NOTHROW_;
void *numafy_aligned_alloc(int numafy_node_, numafy_size numafy_alignment_,
                           numafy_size numafy_size_) NUMAFY_NOTHROW_;
void *numafy_realloc(void *numafy_p_, numafy_size numafy_size_) NUMAFY_NOTHROW_;
void numafy_free(void *numafy_p_) NUMAFY_NOTHROW_;
NUMAFY_OWNER_ void *numafy_malloc_near(const volatile void *numafy_owner_,
                                       numafy_size numafy_size_) NUMAFY_NOTHROW_;
NUMAFY_OWNER_ void *numafy_calloc_near(const volatile void *numafy_owner_,
                                       numafy_size numafy_count_,
                                       numafy_size numafy_size_) NUMAFY_NOTHROW_;
NUMAFY_OWNER_ void *numafy_aligned_alloc_near(const volatile void *numafy_owner_,
                                              numafy_size numafy_alignment_,
                                              numafy_size numafy_size_) NUMAFY_NOTHROW_;
NUMAFY_OWNER_ void *numafy_realloc_near(const volatile void *numafy_owner_, void *numafy_p_,
                                        numafy_size numafy_size_) NUMAFY_NOTHROW_;
NUMAFY_OWNER_ int numafy_root_add(const volatile void *numafy_p_, numafy_size numafy_size_,
                                  int numafy_node_) NUMAFY_NOTHROW_;
NUMAFY_OWNER_ void numafy_root_remove(const volatile void *numafy_p_) NUMAFY_NOTHROW_;
NUMAFY_OWNER_ int numafy_enter(const volatile void *numafy_owner_) NUMAFY_NOTHROW_;
int numafy_enter_on(int numafy_node_) NUMAFY_NOTHROW_;
NUMAFY_OWNER_ void *numafy_leave(const volatile void *numafy_result_) NUMAFY_NOTHROW_;
long numafy_leave_int(long numafy_result_) NUMAFY_NOTHROW_;

/* --- entry points of the macros and templates below; not for use by hand */
/* numafy_near_: the node for near(owner). numafy_scope_: the same rule, but the stack and NULL
 * leave the ambient node; makes it ambient and returns the previous one. numafy_new_: 0 alignment
 * means the default one; calls the new handler and throws as operator new does. push_/pop_: entries
 * of ctor(), enter and numa<T,k>, named by the address of the temporary, frame or object. */
enum { NUMAFY_ENTRY_TEMPORARY_ = 0, NUMAFY_ENTRY_FRAME_ = 1, NUMAFY_ENTRY_OBJECT_ = 2 };
NUMAFY_OWNER_ int numafy_near_(const volatile void *numafy_owner_) NUMAFY_NOTHROW_;
NUMAFY_OWNER_ int numafy_scope_(const volatile void *numafy_owner_) NUMAFY_NOTHROW_;
int numafy_scope_node_(int numafy_node_) NUMAFY_NOTHROW_;
void numafy_scope_end_(int numafy_previous_) NUMAFY_NOTHROW_;
NUMAFY_OWNER_ int numafy_enter_at_(const volatile void *numafy_owner_,
                                   const void *numafy_frame_) NUMAFY_NOTHROW_;
int numafy_enter_on_at_(int numafy_node_, const void *numafy_frame_) NUMAFY_NOTHROW_;
NUMAFY_OWNER_ const volatile void *numafy_root_begin_(const volatile void *numafy_p_,
                                                      numafy_size numafy_size_, int numafy_node_,
                                                      int *numafy_storage_) NUMAFY_NOTHROW_;
void numafy_root_end_(const volatile void *const *numafy_root_) NUMAFY_NOTHROW_;
NUMAFY_OWNER_ void numafy_root_global_(const volatile void *numafy_p_, numafy_size numafy_size_,
                                       int numafy_node_) NUMAFY_NOTHROW_;
void *numafy_new_(numafy_size numafy_size_, numafy_size numafy_alignment_, int numafy_node_);
void *numafy_new_nothrow_(numafy_size numafy_size_, numafy_size numafy_alignment_,
                          int numafy_node_) NUMAFY_NOTHROW_;
void numafy_push_(const void *numafy_key_, int numafy_node_, int numafy_kind_) NUMAFY_NOTHROW_;
void numafy_pop_(int numafy_kind_) NUMAFY_NOTHROW_;
void numafy_pop_key_(const void *numafy_key_) NUMAFY_NOTHROW_;
void numafy_pop_block_(const void *numafy_block_) NUMAFY_NOTHROW_;

/* 0 until there is a pool, a root or an ambient node: till then every owner is of the plain heap
 * and no entry is needed, which a program without roots finds out in place. Who begins while it is
 * 0 has nothing to end: in its thread nobody around it has begun anything either. */
extern __attribute__((__visibility__("default"))) int numafy_active_v3;

/* A word that another thread may just be changing, where the old value will do as well. Read as an
 * atomic it would need an instruction of its own, which each site of a program without roots pays:
 * compilers do not make it the operand of a call or of a comparison. */
#ifdef NUMAFY_TSAN_
#define NUMAFY_GLANCE_(word) (__atomic_load_n(&(word), __ATOMIC_RELAXED))
#else
#define NUMAFY_GLANCE_(word) (word)
#endif
#ifdef NUMAFY_SITES
#define NUMAFY_ACTIVE_ 1
#define NUMAFY_ACTIVE_LOADED_ 1
#else
/* With 1, not with 0: gcc loads what it compares with 0. Where C enters a load is better: gcc 12
 * then keeps more of the function around in registers. */
#define NUMAFY_ACTIVE_ (__builtin_expect(NUMAFY_GLANCE_(numafy_active_v3) == 1, 0))
#define NUMAFY_ACTIVE_LOADED_ \
    (__builtin_expect(__atomic_load_n(&numafy_active_v3, __ATOMIC_RELAXED), 0))
#endif

/* What the near calls come to. While numafy_active_v3 is 0 no owner is looked at: these are the
 * plain heap's. The owner stands last, so that sizes are where the plain heap wants them. */
struct numafy_calls_ {
    void *(*numafy_malloc_)(numafy_size, const volatile void *)NUMAFY_OWNER_AT_(2);
    void *(*numafy_calloc_)(numafy_size, numafy_size, const volatile void *)NUMAFY_OWNER_AT_(3);
    void *(*numafy_new_)(numafy_size); /* operator new of the plain heap */
};
extern __attribute__((__visibility__("default"))) struct numafy_calls_ numafy_calls_v3;

/* In place only where the compiler optimises; else, and for who takes an address, the functions. */
#define NUMAFY_IN_PLACE_ extern __inline__ __attribute__((__gnu_inline__, __unused__))
NUMAFY_IN_PLACE_ NUMAFY_OWNER_ void *
numafy_malloc_near(const volatile void *numafy_owner_, numafy_size numafy_size_) NUMAFY_NOTHROW_DEF_
{
    return NUMAFY_GLANCE_(numafy_calls_v3.numafy_malloc_)(numafy_size_, numafy_owner_);
}
NUMAFY_IN_PLACE_ NUMAFY_OWNER_ void *
numafy_calloc_near(const volatile void *numafy_owner_, numafy_size numafy_count_,
                   numafy_size numafy_size_) NUMAFY_NOTHROW_DEF_
{
    return NUMAFY_GLANCE_(numafy_calls_v3.numafy_calloc_)(numafy_count_, numafy_size_,
                                                          numafy_owner_);
}
#ifdef __cplusplus
}
#endif

static __inline__ NUMAFY_UNUSED_ void numafy_scope_out_(const int *numafy_previous_)
{
    if (NUMAFY_ACTIVE_)
        numafy_scope_end_(*numafy_previous_);
}

/* The frame tells enter and leave which entries a longjmp has left behind: an address in it, below
 * where its caller's begins. For the frame's own address gcc would make a frame pointer. */
#define NUMAFY_FRAME_ ((const char *)__builtin_dwarf_cfa() - 1)
#ifndef __cplusplus
#define numafy_enter(owner)                                                            \
    (NUMAFY_ACTIVE_LOADED_ ? numafy_enter_at_(NUMAFY_SITE_NEAR_(owner), NUMAFY_FRAME_) \
                           : NUMAFY_NO_NODE)
#define numafy_enter_on(node) numafy_enter_on_at_(NUMAFY_SITE_ON_(node), NUMAFY_FRAME_)
static __inline__ NUMAFY_UNUSED_ NUMAFY_OWNER_ void *
numafy_leave_in_(const volatile void *numafy_result_)
{
    return NUMAFY_ACTIVE_ ? numafy_leave(numafy_result_) : (void *)(numafy_size)numafy_result_;
}
static __inline__ NUMAFY_UNUSED_ long numafy_leave_int_in_(long numafy_result_)
{
    return NUMAFY_ACTIVE_ ? numafy_leave_int(numafy_result_) : numafy_result_;
}
#define numafy_leave(result) numafy_leave_in_(result)
#define numafy_leave_int(result) numafy_leave_int_in_(result)
#else
extern "C" { /* no macros: here the names may stand behind :: */
NUMAFY_IN_PLACE_ NUMAFY_OWNER_ int numafy_enter(const volatile void *numafy_owner_) NUMAFY_NOTHROW_
{
    return NUMAFY_ACTIVE_ ? numafy_enter_at_(numafy_owner_, NUMAFY_FRAME_) : NUMAFY_NO_NODE;
}
NUMAFY_IN_PLACE_ NUMAFY_OWNER_ void *
numafy_leave(const volatile void *numafy_result_) NUMAFY_NOTHROW_
{
    if (NUMAFY_ACTIVE_)
        numafy_pop_(NUMAFY_ENTRY_FRAME_);
    return const_cast<void *>(numafy_result_);
}
NUMAFY_IN_PLACE_ long numafy_leave_int(long numafy_result_) NUMAFY_NOTHROW_
{
    if (NUMAFY_ACTIVE_)
        numafy_pop_(NUMAFY_ENTRY_FRAME_);
    return numafy_result_;
}
}
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
#define NUMAFY_SCOPE(owner) \
    NUMAFY_SCOPE_VAR_(NUMAFY_ACTIVE_ ? NUMAFY_SITE_SCOPE_(numafy_scope_(owner)) : NUMAFY_NO_NODE)
#define NUMAFY_SCOPE_NODE(node) NUMAFY_SCOPE_VAR_(NUMAFY_SITE_SCOPE_(numafy_scope_node_(node)))
/* NUMAFY_SCOPE_OF(T, owner); the same for what objects of a template's T allocate when they are
 * assigned: nothing, and so it is nothing, if T is trivial. */
#define NUMAFY_SCOPE_OF(type, owner)                                                 \
    const ::numafy::numafy_scope_of_<!__is_trivially_copyable(type)> NUMAFY_PASTE_(  \
        numafy_scope_at_, __LINE__)(!__is_trivially_copyable(type) && NUMAFY_ACTIVE_ \
                                        ? NUMAFY_SITE_SCOPE_(numafy_scope_(owner))   \
                                        : NUMAFY_NO_NODE)
#define NUMAFY_SCOPE_VAR_(start)                                                         \
    __attribute__((__cleanup__(numafy_scope_out_), __unused__)) const int NUMAFY_PASTE_( \
        numafy_scope_at_, __LINE__) = (start)

/* NUMAFY_ROOT_OBJECT(name, node); behind the declaration of a local object, no register variable:
 * from here to the end of the block near(&name) is node, of a static or thread_local one for ever.
 * NUMAFY_ROOT_GLOBAL(name, node) without a semicolon, at file or namespace scope: near(&name) is
 * node before a constructor of the program runs. A thread knows its own object of a thread_local
 * variable, not those of others. Without effect beyond 64 roots; longjmp ends no local root.
 *
 * NUMAFY_ROOT_BEGIN(name, node); T name(..); NUMAFY_ROOT_OBJECT(name, node);
 * NUMAFY_ROOT_MADE(name); what the initialiser of a local object allocates is on node, too: near()
 * of an object on the stack is the ambient node. MADE ends that; what a throw leaves ends at the
 * end of the block. */
#ifdef __cplusplus
#define NUMAFY_ADDRESS_(name) __builtin_addressof(name)
#else
#define NUMAFY_ADDRESS_(name) (&(name))
#endif
#ifdef NUMAFY_OFF
#define NUMAFY_ROOT_OBJECT(name, node) typedef int numafy_no_root_##name NUMAFY_UNUSED_
#define NUMAFY_ROOT_GLOBAL(name, node)
#define NUMAFY_ROOT_BEGIN(name, node) typedef int numafy_no_begin_##name NUMAFY_UNUSED_
#define NUMAFY_ROOT_MADE(name) typedef int numafy_no_made_##name NUMAFY_UNUSED_
#else
#define NUMAFY_ROOT_BEGIN(name, node)                                                           \
    __attribute__((__cleanup__(numafy_scope_out_), __unused__)) const int numafy_begin_##name = \
        numafy_scope_node_(node)
/* Once more at the end of the block does nothing: what is ambient there is what was at BEGIN. */
#define NUMAFY_ROOT_MADE(name) numafy_scope_out_(&numafy_begin_##name)
#define NUMAFY_ROOT_OBJECT(name, node)                                  \
    static int numafy_root_storage_##name NUMAFY_UNUSED_;               \
    __attribute__((__cleanup__(numafy_root_end_), __unused__))          \
    const volatile void *const numafy_root_##name = numafy_root_begin_( \
        NUMAFY_ADDRESS_(name), sizeof(name), (node), &numafy_root_storage_##name)
#define NUMAFY_ROOT_GLOBAL(name, node) NUMAFY_ROOT_GLOBAL_(name, node, __COUNTER__)
#define NUMAFY_ROOT_GLOBAL_(name, node, number) NUMAFY_ROOT_GLOBAL_2_(name, node, number)
/* 101: the first priority that is a program's own. */
#define NUMAFY_ROOT_GLOBAL_2_(name, node, number)                                                 \
    __attribute__((__constructor__(101), __used__)) static void numafy_root_global_##number(void) \
    {                                                                                             \
        numafy_root_global_(NUMAFY_ADDRESS_(name), sizeof(name), (node));                         \
    }
#endif

#ifdef __cplusplus
namespace std
{
struct nothrow_t;
#ifdef __cpp_aligned_new
enum class align_val_t : __SIZE_TYPE__;
#endif
} // namespace std

extern "C++" {
/* Under a sanitizer, and with NUMAFY_OFF, placed forms are the program's own operator new. These
 * are the forms of it that a compiler does not declare by itself. */
#ifdef NUMAFY_PASSES_
#define NUMAFY_PLAIN_FORMS_
void *operator new(numafy_size, const std::nothrow_t &) NUMAFY_NOTHROW_;
void *operator new[](numafy_size, const std::nothrow_t &) NUMAFY_NOTHROW_;
#ifdef __cpp_aligned_new
void *operator new(numafy_size, std::align_val_t, const std::nothrow_t &) NUMAFY_NOTHROW_;
void *operator new[](numafy_size, std::align_val_t, const std::nothrow_t &) NUMAFY_NOTHROW_;
#endif
#endif

namespace numafy
{

/* What NUMAFY_SCOPE_OF declares. */
template <bool numafy_allocates_>
struct numafy_scope_of_ {
    explicit numafy_scope_of_(int numafy_start_) NUMAFY_NOTHROW_ : numafy_previous_(numafy_start_)
    {
    }
    ~numafy_scope_of_() { numafy_scope_out_(&numafy_previous_); }
    const int numafy_previous_;
};
template <>
struct numafy_scope_of_<false> {
    explicit numafy_scope_of_(int) NUMAFY_NOTHROW_ {}
};

/* The argument of a placed new whose construction may allocate: operator new makes the node ambient
 * once it has the block, done() or the matching delete takes it back. Its address names the entry.
 */
struct numafy_ctor_place_ {
    int numafy_node_;
    NUMAFY_SITE_MEMBER_
};

/* Where a tagged new-expression allocates. One type for near, on and numa<T,k>::at, and no
 * template: gcc's -Wmismatched-new-delete would fire on a template. */
struct numafy_place_ {
    int numafy_node_;
    NUMAFY_SITE_MEMBER_
    numafy_ctor_place_ ctor() const NUMAFY_NOTHROW_
    {
        numafy_ctor_place_ numafy_c_ = {numafy_node_ NUMAFY_SITE_IS_(numafy_is_at_)};
        return numafy_c_;
    }
};

/* near(p): where p's block is. A pool block gives its node, an address in a registered root the
 * root's node, this thread's stack and NULL the ambient node, anything else the plain heap. */
NUMAFY_OWNER_ inline numafy_place_
near(const volatile void *numafy_owner_ NUMAFY_SITE_ALSO_) NUMAFY_NOTHROW_
{
    numafy_place_ numafy_w_ = {(NUMAFY_ACTIVE_ ? numafy_near_(NUMAFY_SITE_OWNER_(numafy_owner_))
                                               : NUMAFY_NO_NODE)NUMAFY_SITE_IS_(0)};
    return numafy_w_;
}

/* on(k): node k, or NUMAFY_LOCAL, NUMAFY_INTERLEAVE, NUMAFY_NO_NODE. */
inline numafy_place_ on(int numafy_node_ NUMAFY_SITE_ALSO_) NUMAFY_NOTHROW_
{
    numafy_place_ numafy_w_ = {NUMAFY_SITE_NODE_(numafy_node_) NUMAFY_SITE_IS_(0)};
    return numafy_w_;
}

/* done(::new (near(p).ctor()) T(...)): ends the entry that operator new began. Returns p. */
template <class numafy_T_>
inline numafy_T_ *done(numafy_T_ *numafy_p_) NUMAFY_NOTHROW_
{
    if (NUMAFY_ACTIVE_)
        numafy_pop_(NUMAFY_ENTRY_TEMPORARY_);
    return numafy_p_;
}

/* ((void)::numafy::enter(o), ::numafy::leave(f(a))): the plain allocations of f go to o's node. The
 * destructor restores when f throws or leave is not there (a void f). enter_on(k): to node k. */
class enter
{
  public:
    NUMAFY_OWNER_ explicit enter(const volatile void *numafy_owner_ NUMAFY_SITE_ALSO_)
        NUMAFY_NOTHROW_
    {
        if (NUMAFY_ACTIVE_)
            numafy_push_(this, numafy_near_(NUMAFY_SITE_OWNER_(numafy_owner_)),
                         NUMAFY_ENTRY_TEMPORARY_);
    }
    ~enter() NUMAFY_NOTHROW_
    {
        if (NUMAFY_ACTIVE_)
            numafy_pop_key_(this);
    }

  private:
    enter(const enter &);
    enter &operator=(const enter &);
};

class enter_on
{
  public:
    explicit enter_on(int numafy_node_ NUMAFY_SITE_ALSO_) NUMAFY_NOTHROW_
    {
        numafy_push_(this, NUMAFY_SITE_NODE_(numafy_node_), NUMAFY_ENTRY_TEMPORARY_);
    }
    ~enter_on() NUMAFY_NOTHROW_ { numafy_pop_key_(this); }

  private:
    enter_on(const enter_on &);
    enter_on &operator=(const enter_on &);
};

#if __cplusplus >= 201103L
template <class numafy_T_>
inline numafy_T_ leave(numafy_T_ &&numafy_value_)
{
    if (NUMAFY_ACTIVE_)
        numafy_pop_(NUMAFY_ENTRY_TEMPORARY_);
    return static_cast<numafy_T_ &&>(numafy_value_);
}
#else
/* C++98: a reference stays one; a value is copied, an auto_ptr too. */
template <class numafy_T_>
inline numafy_T_ &leave(numafy_T_ &numafy_value_)
{
    if (NUMAFY_ACTIVE_)
        numafy_pop_(NUMAFY_ENTRY_TEMPORARY_);
    return numafy_value_;
}
template <class numafy_T_>
inline numafy_T_ leave(const numafy_T_ &numafy_value_)
{
    if (NUMAFY_ACTIVE_)
        numafy_pop_(NUMAFY_ENTRY_TEMPORARY_);
    return const_cast<numafy_T_ &>(numafy_value_);
}
#endif

} // namespace numafy

/* How a block of numafy_n_ bytes begins and ends, plain or aligned; `op` is the global operator. */
#define NUMAFY_ALIGNMENT_ static_cast<numafy_size>(numafy_align_)
#ifdef NUMAFY_PLAIN_FORMS_
#define NUMAFY_GET_plain_(op, node) ((void)(node), op(numafy_n_))
#define NUMAFY_GET_aligned_(op, node) ((void)(node), op(numafy_n_, numafy_align_))
#define NUMAFY_TRY_plain_(op, node) ((void)(node), op(numafy_n_, numafy_t_))
#define NUMAFY_TRY_aligned_(op, node) ((void)(node), op(numafy_n_, numafy_align_, numafy_t_))
#define NUMAFY_PUT_plain_(op) op(numafy_p_)
#define NUMAFY_PUT_aligned_(op) op(numafy_p_, numafy_align_)
#else
#define NUMAFY_GET_plain_(op, node) numafy_new_plain_(numafy_n_, node)
#define NUMAFY_GET_aligned_(op, node) numafy_new_(numafy_n_, NUMAFY_ALIGNMENT_, node)
/* Told apart here, where the compiler often knows: near() says NUMAFY_NO_NODE while nothing is
 * active. */
NUMAFY_ALWAYS_INLINE_ inline void *numafy_new_plain_(numafy_size numafy_n_, int numafy_node_)
{
    if (numafy_node_ == NUMAFY_NO_NODE)
        return NUMAFY_GLANCE_(numafy_calls_v3.numafy_new_)(numafy_n_);
    return numafy_new_(numafy_n_, 0, numafy_node_);
}
#define NUMAFY_TRY_plain_(op, node) ((void)numafy_t_, numafy_new_nothrow_(numafy_n_, 0, node))
#define NUMAFY_TRY_aligned_(op, node) \
    ((void)numafy_t_, numafy_new_nothrow_(numafy_n_, NUMAFY_ALIGNMENT_, node))
#define NUMAFY_PUT_plain_(op) numafy_free(numafy_p_)
#define NUMAFY_PUT_aligned_(op) numafy_free(numafy_p_)
#endif

/* The eight placed forms for both tags, each with the delete that a throwing constructor calls. */
#define NUMAFY_PLACED_NEW_(array, extra, form)                                                     \
    NUMAFY_ALWAYS_INLINE_ inline void *operator new array(                                         \
        numafy_size numafy_n_ extra, numafy::numafy_place_ numafy_w_ NUMAFY_SITE_ALSO_)            \
    {                                                                                              \
        return NUMAFY_GET_##form(::operator new array, NUMAFY_SITE_PLACED_(numafy_w_));            \
    }                                                                                              \
    NUMAFY_ALWAYS_INLINE_ inline void *operator new array(                                         \
        numafy_size numafy_n_ extra, numafy::numafy_place_ numafy_w_,                              \
        const std::nothrow_t &numafy_t_ NUMAFY_SITE_ALSO_) NUMAFY_NOTHROW_                         \
    {                                                                                              \
        return NUMAFY_TRY_##form(::operator new array, NUMAFY_SITE_PLACED_(numafy_w_));            \
    }                                                                                              \
    NUMAFY_ALWAYS_INLINE_ inline void *operator new array(                                         \
        numafy_size numafy_n_ extra,                                                               \
        const numafy::numafy_ctor_place_ &numafy_w_ NUMAFY_SITE_ALSO_)                             \
    {                                                                                              \
        void *numafy_p_ = NUMAFY_GET_##form(::operator new array, NUMAFY_SITE_PLACED_(numafy_w_)); \
        if (NUMAFY_ACTIVE_)                                                                        \
            numafy_push_(&numafy_w_, numafy_w_.numafy_node_, NUMAFY_ENTRY_TEMPORARY_);             \
        return numafy_p_;                                                                          \
    }                                                                                              \
    NUMAFY_ALWAYS_INLINE_ inline void *operator new array(                                         \
        numafy_size numafy_n_ extra, const numafy::numafy_ctor_place_ &numafy_w_,                  \
        const std::nothrow_t &numafy_t_ NUMAFY_SITE_ALSO_) NUMAFY_NOTHROW_                         \
    {                                                                                              \
        void *numafy_p_ = NUMAFY_TRY_##form(::operator new array, NUMAFY_SITE_PLACED_(numafy_w_)); \
        if (NUMAFY_ACTIVE_)                                                                        \
            numafy_push_(&numafy_w_, numafy_w_.numafy_node_, NUMAFY_ENTRY_TEMPORARY_);             \
        return numafy_p_;                                                                          \
    }
#define NUMAFY_PLACED_DELETE_(array, extra, form)                                               \
    NUMAFY_ALWAYS_INLINE_ inline void operator delete array(                                    \
        void *numafy_p_ extra, numafy::numafy_place_ NUMAFY_SITE_TYPES_) NUMAFY_NOTHROW_        \
    {                                                                                           \
        NUMAFY_PUT_##form(::operator delete array);                                             \
    }                                                                                           \
    NUMAFY_ALWAYS_INLINE_ inline void operator delete array(                                    \
        void *numafy_p_ extra, numafy::numafy_place_, const std::nothrow_t &NUMAFY_SITE_TYPES_) \
        NUMAFY_NOTHROW_                                                                         \
    {                                                                                           \
        NUMAFY_PUT_##form(::operator delete array);                                             \
    }                                                                                           \
    NUMAFY_ALWAYS_INLINE_ inline void operator delete array(                                    \
        void *numafy_p_ extra, const numafy::numafy_ctor_place_ &NUMAFY_SITE_TYPES_)            \
        NUMAFY_NOTHROW_                                                                         \
    {                                                                                           \
        if (NUMAFY_ACTIVE_)                                                                     \
            numafy_pop_(NUMAFY_ENTRY_TEMPORARY_);                                               \
        NUMAFY_PUT_##form(::operator delete array);                                             \
    }                                                                                           \
    NUMAFY_ALWAYS_INLINE_ inline void operator delete array(                                    \
        void *numafy_p_ extra, const numafy::numafy_ctor_place_ &,                              \
        const std::nothrow_t &NUMAFY_SITE_TYPES_) NUMAFY_NOTHROW_                               \
    {                                                                                           \
        if (NUMAFY_ACTIVE_)                                                                     \
            numafy_pop_(NUMAFY_ENTRY_TEMPORARY_);                                               \
        NUMAFY_PUT_##form(::operator delete array);                                             \
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
#ifndef NUMAFY_PASSES_
#include "cache.h"
#endif
#include "type.hpp"
#else
extern "C++" {
namespace numafy
{
/* C++98 has no inherited constructors: only the tag is there. */
template <class numafy_T_, int numafy_K_>
struct numa {
    static const numafy_place_ at;
};
template <class numafy_T_, int numafy_K_>
const numafy_place_ numa<numafy_T_, numafy_K_>::at = {numafy_K_ NUMAFY_SITE_IS_(1)};
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
#if defined(NUMAFY_SITES) && !defined(NUMAFY_OFF) && !defined(NUMAFY_NUMA_ALLOC_H)
#include "site_calls.h"
#endif
#endif /* NUMAFY_NEAR_H */
