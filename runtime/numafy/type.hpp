// SPDX-License-Identifier: Apache-2.0
// type.hpp: numa<T,k>, a T that lives on node k together with what its construction allocates.
// Part of near.h from C++11 on, so every unit of a program sees one definition; no system header.
// It must not know how a pool works; what a thread has at hand cache.h knows.
#ifndef NUMAFY_TYPE_HPP
#define NUMAFY_TYPE_HPP
#ifndef NUMAFY_TEST_WARNINGS
#pragma GCC system_header
#endif

extern "C++" {
namespace numafy
{
namespace numafy_detail_
{

#ifdef __clang__
#define NUMAFY_TRIVIAL_DTOR_(T) __is_trivially_destructible(T)
#else
#define NUMAFY_TRIVIAL_DTOR_(T) __has_trivial_destructor(T)
#endif
#define NUMAFY_CLASS_OR_UNION_(T) (__is_class(T) || __is_union(T))

template <bool>
struct numafy_when_ {
};
template <>
struct numafy_when_<true> {
    typedef int numafy_type_;
};

// The box's constructors are for numa<T,k> alone. An aggregate takes braces.
template <bool numafy_Braces_>
struct numafy_boxed_ {
};

// What numa<T,k> holds where it cannot derive from T: a final class, a union, an array, a pointer,
// a number. Same size and layout as T; converts to T& both ways.
template <class numafy_T_, bool numafy_Class_ = NUMAFY_CLASS_OR_UNION_(numafy_T_)>
struct numafy_box_ {
    numafy_T_ numafy_value_;

    numafy_box_() = default;
    template <class... numafy_A_>
    explicit numafy_box_(numafy_boxed_<false>, numafy_A_ &&...numafy_a_)
        : numafy_value_(static_cast<numafy_A_ &&>(numafy_a_)...)
    {
    }
    template <class... numafy_A_>
    explicit numafy_box_(numafy_boxed_<true>, numafy_A_ &&...numafy_a_)
        : numafy_value_{static_cast<numafy_A_ &&>(numafy_a_)...}
    {
    }
    operator numafy_T_ &() noexcept { return numafy_value_; }
    operator const numafy_T_ &() const noexcept { return numafy_value_; }
    numafy_T_ *operator->() noexcept { return __builtin_addressof(numafy_value_); }
    const numafy_T_ *operator->() const noexcept { return __builtin_addressof(numafy_value_); }
};

template <class numafy_T_, numafy_size numafy_N_>
struct numafy_box_<numafy_T_[numafy_N_], false> {
    typedef numafy_T_ numafy_array_[numafy_N_];
    numafy_array_ numafy_value_;

    numafy_box_() = default;
    template <class... numafy_A_>
    explicit numafy_box_(numafy_boxed_<true>, numafy_A_ &&...numafy_a_)
        : numafy_value_{static_cast<numafy_A_ &&>(numafy_a_)...}
    {
    }
    operator numafy_array_ &() noexcept { return numafy_value_; }
    operator const numafy_array_ &() const noexcept { return numafy_value_; }
};

template <class numafy_T_>
struct numafy_box_<numafy_T_, false> {
    numafy_T_ numafy_value_;

    numafy_box_() = default;
    numafy_box_(numafy_boxed_<false>, numafy_T_ numafy_v_) noexcept : numafy_value_(numafy_v_) {}
    operator numafy_T_ &() noexcept { return numafy_value_; }
    operator const numafy_T_ &() const noexcept { return numafy_value_; }
    numafy_T_ operator->() const noexcept { return numafy_value_; }
    // Conversions do not apply to the left side of an assignment, hence these.
#define NUMAFY_ASSIGN_(op)                                      \
    template <class numafy_V_>                                  \
    numafy_T_ &operator op(const numafy_V_ &numafy_v_) noexcept \
    {                                                           \
        return numafy_value_ op numafy_v_;                      \
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

template <class numafy_T_, bool numafy_Class_ = __is_class(numafy_T_)>
struct numafy_is_derivable_ {
    static constexpr bool numafy_value_ = false;
};
template <class numafy_T_>
struct numafy_is_derivable_<numafy_T_, true> {
    static constexpr bool numafy_value_ = !__is_final(numafy_T_);
};

template <class numafy_T_, bool numafy_Derive_ = numafy_is_derivable_<numafy_T_>::numafy_value_>
struct numafy_base_of_ {
    typedef numafy_T_ numafy_type_;
};
template <class numafy_T_>
struct numafy_base_of_<numafy_T_, false> {
    typedef numafy_box_<numafy_T_> numafy_type_;
};

// The first and the last base of numa<T,k>: between them all members and bases of T are
// constructed, with node k ambient. They are empty, so the entry is kept by the thread under the
// object's address. If T's destructor is trivial ours is too: a non-trivial one would put a cookie
// before an array, which `delete[]` through T* would not find. There operator delete takes a left
// entry back.
template <class numafy_T_, int numafy_K_, bool numafy_Trivial_>
struct numafy_enter_base_ {
    numafy_enter_base_() noexcept { numafy_push_(this, numafy_K_, NUMAFY_ENTRY_OBJECT_); }
    numafy_enter_base_(const numafy_enter_base_ &) noexcept
    {
        numafy_push_(this, numafy_K_, NUMAFY_ENTRY_OBJECT_);
    }
    numafy_enter_base_ &operator=(const numafy_enter_base_ &) = default;
    ~numafy_enter_base_() noexcept { numafy_pop_key_(this); }
};
template <class numafy_T_, int numafy_K_>
struct numafy_enter_base_<numafy_T_, numafy_K_, true> {
    numafy_enter_base_() noexcept { numafy_push_(this, numafy_K_, NUMAFY_ENTRY_OBJECT_); }
    numafy_enter_base_(const numafy_enter_base_ &) noexcept
    {
        numafy_push_(this, numafy_K_, NUMAFY_ENTRY_OBJECT_);
    }
    numafy_enter_base_ &operator=(const numafy_enter_base_ &) = default;
};
template <class numafy_T_, int numafy_K_>
struct numafy_leave_base_ {
    numafy_leave_base_() noexcept { numafy_pop_(NUMAFY_ENTRY_OBJECT_); }
    numafy_leave_base_(const numafy_leave_base_ &) noexcept { numafy_pop_(NUMAFY_ENTRY_OBJECT_); }
    numafy_leave_base_ &operator=(const numafy_leave_base_ &) = default;
};

// A trivial T allocates nothing while it is made: no entry, so its construction stays trivial.
template <class numafy_T_, int numafy_K_>
struct numafy_nothing_before_ {
};
template <class numafy_T_, int numafy_K_>
struct numafy_nothing_after_ {
};
template <class numafy_T_, int numafy_K_, bool numafy_Trivial_ = __is_trivial(numafy_T_)>
struct numafy_ends_ {
    typedef numafy_enter_base_<numafy_T_, numafy_K_, NUMAFY_TRIVIAL_DTOR_(numafy_T_)>
        numafy_before_;
    typedef numafy_leave_base_<numafy_T_, numafy_K_> numafy_after_;
    static constexpr bool numafy_may_leave_entry_ = NUMAFY_TRIVIAL_DTOR_(numafy_T_);
};
template <class numafy_T_, int numafy_K_>
struct numafy_ends_<numafy_T_, numafy_K_, true> {
    typedef numafy_nothing_before_<numafy_T_, numafy_K_> numafy_before_;
    typedef numafy_nothing_after_<numafy_T_, numafy_K_> numafy_after_;
    static constexpr bool numafy_may_leave_entry_ = false;
};

// Whether T or a base of it has a member called `at`, of whatever kind and access: then the name is
// ambiguous in a class that derives from T and from another that has one.
struct numafy_has_at_too_ {
    int at;
};
template <class numafy_T_, bool numafy_Derive_ = numafy_is_derivable_<numafy_T_>::numafy_value_>
struct numafy_has_at_ {
    struct numafy_both_ : numafy_T_, numafy_has_at_too_ {
    };
    template <class numafy_U_>
    static char numafy_test_(decltype(&numafy_U_::at));
    template <class numafy_U_>
    static long numafy_test_(...);
    static constexpr bool numafy_value_ = sizeof(numafy_test_<numafy_both_>(nullptr)) != 1;
};
template <class numafy_T_>
struct numafy_has_at_<numafy_T_, false> {
    static constexpr bool numafy_value_ = false;
};

// numa<T,k>::at, unless that is a member of T: two members of one name cannot both be seen.
template <class numafy_T_, int numafy_K_,
          bool numafy_Taken_ = numafy_has_at_<numafy_T_>::numafy_value_>
struct numafy_tag_ {
    static const numafy_place_ at;
};
template <class numafy_T_, int numafy_K_, bool numafy_Taken_>
const numafy_place_ numafy_tag_<numafy_T_, numafy_K_, numafy_Taken_>::at = {numafy_K_ NUMAFY_SITE_IS_(1)};
template <class numafy_T_, int numafy_K_>
struct numafy_tag_<numafy_T_, numafy_K_, true> {
};

template <class numafy_T_, class... numafy_A_>
struct numafy_only_copies_ {
    static constexpr bool numafy_value_ = false;
};
template <class numafy_T_, class numafy_A_>
struct numafy_only_copies_<numafy_T_, numafy_A_> {
    template <class numafy_U_>
    static char numafy_test_(const volatile numafy_U_ *);
    template <class numafy_U_>
    static long numafy_test_(...);
    template <class numafy_U_>
    struct numafy_bare_ {
        typedef numafy_U_ numafy_type_;
    };
    template <class numafy_U_>
    struct numafy_bare_<numafy_U_ &> {
        typedef numafy_U_ numafy_type_;
    };
    static constexpr bool numafy_value_ =
        sizeof(numafy_test_<numafy_T_>(
            static_cast<typename numafy_bare_<numafy_A_>::numafy_type_ *>(nullptr))) == 1;
};

struct numafy_unsized_ {
};

#ifndef NUMAFY_PASSES_
// The plain forms of numa<T,k>'s operators: a constant size is served here, all else out of line.
template <int numafy_K_>
NUMAFY_ALWAYS_INLINE_ inline void *numafy_get_(numafy_size numafy_n_)
{
    void *numafy_p_;
    if (__builtin_constant_p(numafy_n_) && numafy_cache_get(numafy_K_, numafy_n_, &numafy_p_))
        return numafy_p_;
    return numafy_new_(numafy_n_, 0, numafy_K_);
}
template <int numafy_K_>
NUMAFY_ALWAYS_INLINE_ inline void *numafy_get_nothrow_(numafy_size numafy_n_) noexcept
{
    void *numafy_p_;
    if (__builtin_constant_p(numafy_n_) && numafy_cache_get(numafy_K_, numafy_n_, &numafy_p_))
        return numafy_p_;
    return numafy_new_nothrow_(numafy_n_, 0, numafy_K_);
}
template <int numafy_K_>
NUMAFY_ALWAYS_INLINE_ inline void numafy_put_(void *numafy_p_, numafy_size numafy_n_) noexcept
{
    if (!__builtin_constant_p(numafy_n_) || !numafy_p_ ||
        !numafy_cache_put(numafy_p_, numafy_K_, numafy_n_))
        numafy_free(numafy_p_);
}
#endif

} // namespace numafy_detail_

// numa<T,k>: `new numa<Tree,0>(args)` is a Tree on node 0, and so are the members that its
// construction allocates. For a class it derives from T and adds no data; for a final class, a
// union, an array, a pointer or a number it holds the value. A Tree* to it can be deleted anywhere.
// Errors as with operator new. Thread-safe.
template <class numafy_T_, int numafy_K_>
class numa : private numafy_detail_::numafy_ends_<numafy_T_, numafy_K_>::numafy_before_,
             public numafy_detail_::numafy_tag_<numafy_T_, numafy_K_>,
             public numafy_detail_::numafy_base_of_<numafy_T_>::numafy_type_,
             private numafy_detail_::numafy_ends_<numafy_T_, numafy_K_>::numafy_after_
{
    // Names that a T cannot have: whatever is declared here hides or shadows its members.
    typedef typename numafy_detail_::numafy_base_of_<numafy_T_>::numafy_type_ numafy_base_;
    typedef numafy_detail_::numafy_is_derivable_<numafy_T_> numafy_derivable_;

    static void numafy_forget_(void *numafy_p_) noexcept
    {
        if (numafy_detail_::numafy_ends_<numafy_T_, numafy_K_>::numafy_may_leave_entry_)
            numafy_pop_block_(numafy_p_);
    }

  public:
    // `::new (numafy::numa<T,k>::at) T(args)`: an exact T on node k; at.ctor() with done() where
    // T's construction may allocate. If T has a member called `at`, as std::vector and std::map
    // have, the name is T's and the tag is numafy::on(k).

    using numafy_base_::numafy_base_;
    numa() = default;
    numa(const numa &) = default;
    numa(numa &&) = default;
    numa &operator=(const numa &) = default;
    numa &operator=(numa &&) = default;
    // The value of a box.
    template <class numafy_A_, class... numafy_B_,
              typename numafy_detail_::numafy_when_<
                  !numafy_derivable_::numafy_value_ &&
                  !numafy_detail_::numafy_only_copies_<
                      numa, numafy_A_, numafy_B_...>::numafy_value_>::numafy_type_ = 0>
    numa(numafy_A_ &&numafy_a_, numafy_B_ &&...numafy_b_)
        : numafy_base_(numafy_detail_::numafy_boxed_<__is_aggregate(numafy_T_)>(),
                       static_cast<numafy_A_ &&>(numafy_a_),
                       static_cast<numafy_B_ &&>(numafy_b_)...)
    {
    }
    // From a T.
    template <class numafy_U_, typename numafy_detail_::numafy_when_<
                                   numafy_derivable_::numafy_value_ &&
                                   numafy_detail_::numafy_only_copies_<
                                       numafy_T_, numafy_U_>::numafy_value_>::numafy_type_ = 0>
    numa(numafy_U_ &&numafy_a_) : numafy_base_(static_cast<numafy_U_ &&>(numafy_a_))
    {
    }
    // An aggregate has no constructor to inherit.
    template <class numafy_A_, class... numafy_B_,
              typename numafy_detail_::numafy_when_<
                  numafy_derivable_::numafy_value_ &&__is_aggregate(numafy_T_) &&
                  !numafy_detail_::numafy_only_copies_<
                      numafy_T_, numafy_A_, numafy_B_...>::numafy_value_>::numafy_type_ = 0>
    explicit numa(numafy_A_ &&numafy_a_, numafy_B_ &&...numafy_b_)
        : numafy_base_{static_cast<numafy_A_ &&>(numafy_a_),
                       static_cast<numafy_B_ &&>(numafy_b_)...}
    {
    }
    template <class numafy_V_>
    numa &operator=(numafy_V_ &&numafy_a_)
    {
        static_cast<numafy_T_ &>(*this) = static_cast<numafy_V_ &&>(numafy_a_);
        return *this;
    }

#define NUMAFY_CLASS_NEW_(array, extra, form)                                                 \
    NUMAFY_ALWAYS_INLINE_ static inline void *operator new array(numafy_size numafy_n_ extra) \
    {                                                                                         \
        return NUMAFY_GET_##form(::operator new array, numafy_K_);                            \
    }                                                                                         \
    NUMAFY_ALWAYS_INLINE_ static inline void *operator new array(                             \
        numafy_size numafy_n_ extra, const std::nothrow_t &numafy_t_) noexcept                \
    {                                                                                         \
        return NUMAFY_TRY_##form(::operator new array, numafy_K_);                            \
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
    // Where both are there a delete-expression takes the form without a size.
#define NUMAFY_CLASS_SIZED_(array, extra, form)                                                \
    NUMAFY_ALWAYS_INLINE_ static inline void operator delete array(void *numafy_p_,            \
                                                                   numafy_size extra) noexcept \
    {                                                                                          \
        numafy_forget_(numafy_p_);                                                             \
        NUMAFY_PUT_##form(::operator delete array);                                            \
    }
#ifdef NUMAFY_PASSES_
    NUMAFY_CLASS_NEW_(NUMAFY_NOTHING_, NUMAFY_NOTHING_, plain_)
    NUMAFY_CLASS_NEW_(NUMAFY_ARRAY_, NUMAFY_NOTHING_, plain_)
    NUMAFY_CLASS_DELETE_(NUMAFY_NOTHING_, NUMAFY_NOTHING_, plain_)
    NUMAFY_CLASS_SIZED_(NUMAFY_NOTHING_, NUMAFY_NOTHING_, plain_)
#else
    NUMAFY_ALWAYS_INLINE_ static inline void *operator new(numafy_size numafy_n_)
    {
        return numafy_detail_::numafy_get_<numafy_K_>(numafy_n_);
    }
    NUMAFY_ALWAYS_INLINE_ static inline void *operator new[](numafy_size numafy_n_)
    {
        return numafy_detail_::numafy_get_<numafy_K_>(numafy_n_);
    }
    NUMAFY_ALWAYS_INLINE_ static inline void *operator new(numafy_size numafy_n_,
                                                           const std::nothrow_t &) noexcept
    {
        return numafy_detail_::numafy_get_nothrow_<numafy_K_>(numafy_n_);
    }
    NUMAFY_ALWAYS_INLINE_ static inline void *operator new[](numafy_size numafy_n_,
                                                             const std::nothrow_t &) noexcept
    {
        return numafy_detail_::numafy_get_nothrow_<numafy_K_>(numafy_n_);
    }
    // A delete-expression must take the form with a size, so the one without, which the language
    // would prefer, has a parameter more: it is for code that calls it. What new numa<T,k> made is
    // on node k. Of a derived class's size, and for an array, the address decides.
    NUMAFY_ALWAYS_INLINE_ static inline void
    operator delete(void *numafy_p_,
                    numafy_detail_::numafy_unsized_ = numafy_detail_::numafy_unsized_()) noexcept
    {
        numafy_forget_(numafy_p_);
        numafy_free(numafy_p_);
    }
    NUMAFY_ALWAYS_INLINE_ static inline void operator delete(void *numafy_p_,
                                                             numafy_size numafy_n_) noexcept
    {
        numafy_forget_(numafy_p_);
        if (numafy_n_ == sizeof(numa))
            numafy_detail_::numafy_put_<numafy_K_>(numafy_p_, sizeof(numa));
        else
            numafy_free(numafy_p_);
    }
    NUMAFY_ALWAYS_INLINE_ static inline void operator delete(void *numafy_p_,
                                                             const std::nothrow_t &) noexcept
    {
        numafy_forget_(numafy_p_);
        numafy_free(numafy_p_);
    }
#endif
    NUMAFY_CLASS_DELETE_(NUMAFY_ARRAY_, NUMAFY_NOTHING_, plain_)
    NUMAFY_CLASS_SIZED_(NUMAFY_ARRAY_, NUMAFY_NOTHING_, plain_)
#ifdef __cpp_aligned_new
    NUMAFY_CLASS_NEW_(NUMAFY_NOTHING_, NUMAFY_ALIGNED_, aligned_)
    NUMAFY_CLASS_NEW_(NUMAFY_ARRAY_, NUMAFY_ALIGNED_, aligned_)
    NUMAFY_CLASS_DELETE_(NUMAFY_NOTHING_, NUMAFY_ALIGNED_ NUMAFY_UNUSED_, aligned_)
    NUMAFY_CLASS_DELETE_(NUMAFY_ARRAY_, NUMAFY_ALIGNED_ NUMAFY_UNUSED_, aligned_)
    NUMAFY_CLASS_SIZED_(NUMAFY_NOTHING_, NUMAFY_ALIGNED_ NUMAFY_UNUSED_, aligned_)
    NUMAFY_CLASS_SIZED_(NUMAFY_ARRAY_, NUMAFY_ALIGNED_ NUMAFY_UNUSED_, aligned_)
#endif
#undef NUMAFY_CLASS_NEW_
#undef NUMAFY_CLASS_DELETE_
#undef NUMAFY_CLASS_SIZED_
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

#undef NUMAFY_TRIVIAL_DTOR_
#undef NUMAFY_CLASS_OR_UNION_

} // namespace numafy
} // extern "C++"
#endif // NUMAFY_TYPE_HPP
