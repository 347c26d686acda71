// SPDX-License-Identifier: Apache-2.0
// type.hpp: numa<T,k>, a T that lives on node k together with what its construction allocates.
// Part of near.h from C++11 on, so every unit of a program sees one definition; no system header.
// It must not know how a pool works.
#ifndef NUMAFY_TYPE_HPP
#define NUMAFY_TYPE_HPP
#ifndef NUMAFY_TEST_WARNINGS
#pragma GCC system_header
#endif

extern "C++" {
namespace numafy
{
namespace detail
{

#ifdef __clang__
#define NUMAFY_TRIVIAL_DTOR_(T) __is_trivially_destructible(T)
#else
#define NUMAFY_TRIVIAL_DTOR_(T) __has_trivial_destructor(T)
#endif

template <bool>
struct when {
};
template <>
struct when<true> {
    typedef int type;
};

struct boxed {
}; // the box's constructors are for numa<T,k> alone

// What numa<T,k> holds where it cannot derive from T: a final class, a union, a pointer, a number.
// Same size and layout as T; converts to T& both ways.
template <class T, bool IsClass = __is_class(T) || __is_union(T)>
struct box {
    T value;

    box() = default;
    template <class... A>
    explicit box(boxed, A &&...a) : value(static_cast<A &&>(a)...)
    {
    }
    operator T &() noexcept { return value; }
    operator const T &() const noexcept { return value; }
    T *operator->() noexcept { return __builtin_addressof(value); }
    const T *operator->() const noexcept { return __builtin_addressof(value); }
};

template <class T>
struct box<T, false> {
    T value;

    box() = default;
    box(boxed, T v) noexcept : value(v) {}
    operator T &() noexcept { return value; }
    operator const T &() const noexcept { return value; }
    T operator->() const noexcept { return value; }
    // Conversions do not apply to the left side of an assignment, hence these.
#define NUMAFY_ASSIGN_(op)              \
    template <class V>                  \
    T &operator op(const V &v) noexcept \
    {                                   \
        return value op v;              \
    }
    NUMAFY_ASSIGN_(+=)
    NUMAFY_ASSIGN_(-=)
    NUMAFY_ASSIGN_(*=)
    NUMAFY_ASSIGN_(/=)
    NUMAFY_ASSIGN_(%=)
    NUMAFY_ASSIGN_(&=)
    NUMAFY_ASSIGN_(|=)
    NUMAFY_ASSIGN_(^=)
    NUMAFY_ASSIGN_(<<=)
    NUMAFY_ASSIGN_(>>=)
#undef NUMAFY_ASSIGN_
};

template <class T, bool IsClass>
struct is_derivable {
    static constexpr bool value = false;
};
template <class T>
struct is_derivable<T, true> {
    static constexpr bool value = !__is_final(T);
};

template <class T, bool Derive>
struct base_choice {
    typedef T type;
};
template <class T>
struct base_choice<T, false> {
    typedef box<T> type;
};
template <class T>
struct base_of : base_choice<T, is_derivable<T, __is_class(T)>::value> {
};

// The first and the last base of numa<T,k>: between them all members and bases of T are
// constructed, with node k ambient. They are empty, so the entry is kept by the thread under the
// object's address. If T's destructor is trivial ours is too: a non-trivial one would put a cookie
// before an array, which `delete[]` through T* would not find. There operator delete takes a left
// entry back.
template <class T, int K, bool TrivialDtor>
struct enter_base {
    enter_base() noexcept { numafy_push_(this, K, NUMAFY_ENTRY_OBJECT_); }
    enter_base(const enter_base &) noexcept { numafy_push_(this, K, NUMAFY_ENTRY_OBJECT_); }
    enter_base &operator=(const enter_base &) = default;
    ~enter_base() noexcept { numafy_pop_key_(this); }
};
template <class T, int K>
struct enter_base<T, K, true> {
    enter_base() noexcept { numafy_push_(this, K, NUMAFY_ENTRY_OBJECT_); }
    enter_base(const enter_base &) noexcept { numafy_push_(this, K, NUMAFY_ENTRY_OBJECT_); }
    enter_base &operator=(const enter_base &) = default;
};
template <class T, int K>
struct leave_base {
    leave_base() noexcept { numafy_pop_(NUMAFY_ENTRY_OBJECT_); }
    leave_base(const leave_base &) noexcept { numafy_pop_(NUMAFY_ENTRY_OBJECT_); }
    leave_base &operator=(const leave_base &) = default;
};

// A scalar allocates nothing while it is made: no entry, so its default construction stays trivial.
template <class T, int K>
struct nothing_before {
};
template <class T, int K>
struct nothing_after {
};
template <class T, int K, bool IsClass>
struct ends {
    typedef enter_base<T, K, NUMAFY_TRIVIAL_DTOR_(T)> before;
    typedef leave_base<T, K> after;
};
template <class T, int K>
struct ends<T, K, false> {
    typedef nothing_before<T, K> before;
    typedef nothing_after<T, K> after;
};
template <class T, int K>
struct ends_of : ends<T, K, __is_class(T) || __is_union(T)> {
};

template <class T, class... A>
struct only_copies {
    static constexpr bool value = false;
};
template <class T, class A>
struct only_copies<T, A> {
    template <class U>
    static char test(const volatile U *);
    template <class U>
    static long test(...);
    template <class U>
    struct bare {
        typedef U type;
    };
    template <class U>
    struct bare<U &> {
        typedef U type;
    };
    static constexpr bool value =
        sizeof(test<T>(static_cast<typename bare<A>::type *>(nullptr))) == sizeof(char);
};

} // namespace detail

// numa<T,k>: `new numa<Tree,0>(args)` is a Tree on node 0, and so are the members that its
// construction allocates. For a class it derives from T and adds no data; for a final class, a
// union, a pointer or a number it holds the value. A Tree* to it can be deleted anywhere. A member
// of T that is called `at` is hidden: call it through T&. Errors as with operator new. Thread-safe.
template <class T, int K>
class numa : private detail::ends_of<T, K>::before,
             public detail::base_of<T>::type,
             private detail::ends_of<T, K>::after
{
    // Names that a T cannot have: whatever is declared here hides or shadows its members.
    typedef typename detail::base_of<T>::type numafy_base_;
    static constexpr bool numafy_trivial_dtor_ = NUMAFY_TRIVIAL_DTOR_(T);

    static void numafy_forget_(void *numafy_p_) noexcept
    {
        if (numafy_trivial_dtor_)
            numafy_pop_block_(numafy_p_);
    }

  public:
    // `::new (numafy::numa<T,k>::at) T(args)`: an exact T on node k; at.ctor() with done() where
    // T's construction may allocate.
    static const place at;

    using numafy_base_::numafy_base_;
    numa() = default;
    numa(const numa &) = default;
    numa(numa &&) = default;
    numa &operator=(const numa &) = default;
    numa &operator=(numa &&) = default;
    // The value of a box: a final class, a union, a pointer, a number.
    template <class A, class... More,
              typename detail::when<!detail::is_derivable<T, __is_class(T)>::value &&
                                    !detail::only_copies<numa, A, More...>::value>::type = 0>
    numa(A &&numafy_a_, More &&...numafy_b_)
        : numafy_base_(detail::boxed(), static_cast<A &&>(numafy_a_),
                       static_cast<More &&>(numafy_b_)...)
    {
    }
    // From a T.
    template <class U, typename detail::when<detail::is_derivable<T, __is_class(T)>::value &&
                                             detail::only_copies<T, U>::value>::type = 0>
    numa(U &&numafy_a_) : numafy_base_(static_cast<U &&>(numafy_a_))
    {
    }
    // An aggregate has no constructor to inherit.
    template <
        class A, class... More,
        typename detail::when<detail::is_derivable<T, __is_class(T)>::value &&__is_aggregate(T) &&
                              !detail::only_copies<T, A, More...>::value>::type = 0>
    explicit numa(A &&numafy_a_, More &&...numafy_b_)
        : numafy_base_{static_cast<A &&>(numafy_a_), static_cast<More &&>(numafy_b_)...}
    {
    }
    template <class V>
    numa &operator=(V &&numafy_a_)
    {
        static_cast<T &>(*this) = static_cast<V &&>(numafy_a_);
        return *this;
    }

#define NUMAFY_CLASS_NEW_(array, extra, form)                                                 \
    NUMAFY_ALWAYS_INLINE_ static inline void *operator new array(numafy_size numafy_n_ extra) \
    {                                                                                         \
        return NUMAFY_GET_##form(::operator new array, K);                                    \
    }                                                                                         \
    NUMAFY_ALWAYS_INLINE_ static inline void *operator new array(                             \
        numafy_size numafy_n_ extra, const std::nothrow_t &numafy_t_) noexcept                \
    {                                                                                         \
        return NUMAFY_TRY_##form(::operator new array, K);                                    \
    }
#define NUMAFY_CLASS_DELETE_(array, extra, form)                                                   \
    NUMAFY_ALWAYS_INLINE_ static inline void operator delete array(void *numafy_p_ extra) noexcept \
    {                                                                                              \
        numafy_forget_(numafy_p_);                                                                 \
        NUMAFY_PUT_##form(::operator delete array);                                                \
    }                                                                                              \
    NUMAFY_ALWAYS_INLINE_ static inline void operator delete array(                                \
        void *numafy_p_ extra, const std::nothrow_t &) noexcept                                    \
    {                                                                                              \
        numafy_forget_(numafy_p_);                                                                 \
        NUMAFY_PUT_##form(::operator delete array);                                                \
    }
    NUMAFY_CLASS_NEW_(NUMAFY_NOTHING_, NUMAFY_NOTHING_, plain_)
    NUMAFY_CLASS_NEW_(NUMAFY_ARRAY_, NUMAFY_NOTHING_, plain_)
    NUMAFY_CLASS_DELETE_(NUMAFY_NOTHING_, NUMAFY_NOTHING_, plain_)
    NUMAFY_CLASS_DELETE_(NUMAFY_ARRAY_, NUMAFY_NOTHING_, plain_)
#ifdef __cpp_aligned_new
    NUMAFY_CLASS_NEW_(NUMAFY_NOTHING_, NUMAFY_ALIGNED_, aligned_)
    NUMAFY_CLASS_NEW_(NUMAFY_ARRAY_, NUMAFY_ALIGNED_, aligned_)
    NUMAFY_CLASS_DELETE_(NUMAFY_NOTHING_, NUMAFY_ALIGNED_ NUMAFY_UNUSED_, aligned_)
    NUMAFY_CLASS_DELETE_(NUMAFY_ARRAY_, NUMAFY_ALIGNED_ NUMAFY_UNUSED_, aligned_)
#endif
#undef NUMAFY_CLASS_NEW_
#undef NUMAFY_CLASS_DELETE_
    // A class-level operator new hides the global placement form.
    static inline void *operator new(numafy_size, void *numafy_p_) noexcept
    {
        return numafy_p_;
    }
    static inline void *operator new[](numafy_size, void *numafy_p_) noexcept
    {
        return numafy_p_;
    }
    static inline void operator delete(void *, void *) noexcept {}
    static inline void operator delete[](void *, void *) noexcept {}
};

template <class T, int K>
const place numa<T, K>::at = {K};

#undef NUMAFY_TRIVIAL_DTOR_

} // namespace numafy
} // extern "C++"
#endif // NUMAFY_TYPE_HPP
