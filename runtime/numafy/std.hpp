// SPDX-License-Identifier: Apache-2.0
// std.hpp: numafy's meeting points with the standard library: allocators, a memory resource, smart
// pointers, a thread. Part of numa_alloc.h from C++11 on. Works without pools too (NUMAFY_OFF).
#ifndef NUMAFY_STD_HPP
#define NUMAFY_STD_HPP
#ifndef NUMAFY_TEST_WARNINGS
#pragma GCC system_header
#endif

#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <thread>
#include <type_traits>
#include <utility>
#if __cplusplus >= 201703L && defined(__has_include)
#if __has_include(<memory_resource>)
#include <memory_resource>
#endif
#endif

extern "C++" {
namespace numafy
{

namespace numafy_detail_
{
// A block for an allocator or a resource, and back. Without pools it is operator new's, as a
// sanitizer wants it. Throws std::bad_alloc.
inline void *get_block(int node, std::size_t bytes, std::size_t alignment)
{
#ifndef NUMAFY_PLAIN_FORMS_
    return numafy_new_(bytes, alignment > alignof(std::max_align_t) ? alignment : 0, node);
#else
    (void)node;
#ifdef __cpp_aligned_new
    if (alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__)
        return ::operator new(bytes, std::align_val_t(alignment));
#else
    (void)alignment;
#endif
    return ::operator new(bytes);
#endif
}
inline void put_block(void *p, std::size_t alignment) noexcept
{
#ifndef NUMAFY_PLAIN_FORMS_
    (void)alignment;
    numafy_free(p);
#else
#ifdef __cpp_aligned_new
    if (alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__)
        return ::operator delete(p, std::align_val_t(alignment));
#else
    (void)alignment;
#endif
    ::operator delete(p);
#endif
}

// Throws bad_array_new_length if n T are more than there can be.
template <class T>
inline std::size_t bytes_of(std::size_t n)
{
    if (n > static_cast<std::size_t>(-1) / sizeof(T)) {
#ifdef __cpp_exceptions
        throw std::bad_array_new_length();
#else
        __builtin_trap();
#endif
    }
    return n * sizeof(T);
}
} // namespace numafy_detail_

// An allocator for containers: std::vector<T, numafy::allocator<T, 1>> has its elements on node 1.
// All with the same k are equal. Throws std::bad_alloc, or bad_array_new_length for n that
// overflows.
template <class T, int K>
class allocator
{
  public:
    typedef T value_type;
    typedef std::true_type is_always_equal;
    typedef std::true_type propagate_on_container_move_assignment;
    template <class U>
    struct rebind {
        typedef allocator<U, K> other;
    };

    allocator() noexcept = default;
    template <class U>
    allocator(const allocator<U, K> &) noexcept
    {
    }

    T *allocate(std::size_t n)
    {
        const std::size_t bytes = numafy_detail_::bytes_of<T>(n);
        return static_cast<T *>(numafy_detail_::get_block(K, bytes, alignof(T)));
    }
    void deallocate(T *p, std::size_t) noexcept { numafy_detail_::put_block(p, alignof(T)); }
};
template <class T, class U, int K>
bool operator==(const allocator<T, K> &, const allocator<U, K> &) noexcept
{
    return true;
}
template <class T, class U, int K>
bool operator!=(const allocator<T, K> &, const allocator<U, K> &) noexcept
{
    return false;
}

// The same with the node at run time: std::vector<T, numafy::node_allocator<T>> v(numafy::on(k)),
// or near(p). Two of one node are equal. A container that is copied from or assigned to keeps its
// node; one that is moved or swapped takes its memory and its node along, so neither moves elements
// nor has undefined behaviour if the nodes differ. There is no default: a container must be told.
template <class T>
class node_allocator
{
  public:
    typedef T value_type;
    typedef std::false_type is_always_equal;
    typedef std::false_type propagate_on_container_copy_assignment;
    typedef std::true_type propagate_on_container_move_assignment;
    typedef std::true_type propagate_on_container_swap;

    explicit node_allocator(int node) noexcept : node_(node) {}
    node_allocator(numafy_place_ where) noexcept : node_(where.numafy_node_) {}
    template <class U>
    node_allocator(const node_allocator<U> &other) noexcept : node_(other.node())
    {
    }
    int node() const noexcept { return node_; }

    T *allocate(std::size_t n)
    {
        const std::size_t bytes = numafy_detail_::bytes_of<T>(n);
        return static_cast<T *>(numafy_detail_::get_block(node_, bytes, alignof(T)));
    }
    void deallocate(T *p, std::size_t) noexcept { numafy_detail_::put_block(p, alignof(T)); }

  private:
    int node_;
};
template <class T, class U>
bool operator==(const node_allocator<T> &a, const node_allocator<U> &b) noexcept
{
    return a.node() == b.node();
}
template <class T, class U>
bool operator!=(const node_allocator<T> &a, const node_allocator<U> &b) noexcept
{
    return a.node() != b.node();
}

#ifdef __cpp_lib_memory_resource
// The same as a polymorphic resource, the node at run time.
class memory_resource : public std::pmr::memory_resource
{
  public:
    explicit memory_resource(int node) noexcept : node_(node) {}
    memory_resource(numafy_place_ where) noexcept : node_(where.numafy_node_) {}
    int node() const noexcept { return node_; }

  private:
    void *do_allocate(std::size_t bytes, std::size_t alignment) override
    {
        return numafy_detail_::get_block(node_, bytes, alignment);
    }
    void do_deallocate(void *p, std::size_t, std::size_t alignment) override
    {
        numafy_detail_::put_block(p, alignment);
    }
    bool do_is_equal(const std::pmr::memory_resource &other) const noexcept override
    {
        // Any block of ours can be freed through any resource of ours; without RTTI only itself is.
#ifdef __cpp_rtti
        const memory_resource *o = dynamic_cast<const memory_resource *>(&other);
        return o && o->node_ == node_;
#else
        return this == &other;
#endif
    }

    int node_;
};
#endif

#if !defined(NUMAFY_NO_REPLACE_) || defined(NUMAFY_PLAIN_FORMS_)
template <class T>
using node_delete = std::default_delete<T>;
#else
// Where operator delete is not ours: what numafy::make_unique's pointer is deleted by.
template <class T>
struct node_delete {
    static_assert(!std::is_array<T>::value, "with NUMAFY_NO_REPLACE use numa<T,k> for arrays");
    void operator()(T *p) const
    {
        p->~T();
        numafy_free(const_cast<void *>(static_cast<const volatile void *>(p)));
    }
};
#endif

namespace numafy_detail_
{
template <class T>
struct numafy_is_numa_ : std::false_type {
};
template <class T, int K>
struct numafy_is_numa_<numa<T, K>> : std::true_type {
};
} // namespace numafy_detail_

// numafy::make_unique<T>(numafy::on(k), args...), or near(p): a T on that node with what its
// construction allocates; make_unique<T[]>(where, n) for an array. The result is a
// std::unique_ptr<T>. Not for a T with an operator new of its own. Throws as new does.
template <class T, class... A>
typename std::enable_if<!std::is_array<T>::value, std::unique_ptr<T, node_delete<T>>>::type
make_unique(numafy_place_ where, A &&...a)
{
    static_assert(!numafy_detail_::numafy_is_numa_<T>::value,
                  "numa<T,k> has its node already: numafy::make_unique<T>(numafy::on(k), ...)");
    return std::unique_ptr<T, node_delete<T>>(done(::new (where.ctor()) T(std::forward<A>(a)...)));
}
template <class T>
typename std::enable_if<std::is_array<T>::value && !std::extent<T>::value,
                        std::unique_ptr<T, node_delete<T>>>::type
make_unique(numafy_place_ where, std::size_t n)
{
    typedef typename std::remove_extent<T>::type element;
    return std::unique_ptr<T, node_delete<T>>(done(::new (where.ctor()) element[n]()));
}

// The same for std::shared_ptr: object and counts are one block on that node. From C++20 on T may
// be an array.
template <class T, class... A>
std::shared_ptr<T> make_shared(numafy_place_ where, A &&...a)
{
    NUMAFY_SCOPE_NODE(where.numafy_node_);
    return std::allocate_shared<T>(node_allocator<char>(where), std::forward<A>(a)...);
}

namespace numafy_detail_
{
// What the new thread runs: pins itself, then calls the user's function.
template <class F, int K>
struct pinned {
    F f;
    template <class... A>
    void operator()(A &&...a)
    {
        (void)numafy_thread_bind(K);
        call(std::is_member_pointer<F>(), std::forward<A>(a)...);
    }

  private:
    template <class... A>
    void call(std::true_type, A &&...a)
    {
        std::mem_fn(f)(std::forward<A>(a)...);
    }
    template <class... A>
    void call(std::false_type, A &&...a)
    {
        std::move(f)(std::forward<A>(a)...);
    }
};
} // namespace numafy_detail_

// A std::thread on the CPUs of node k: it is pinned before f starts. On a node without CPUs it runs
// on the nearest that has some. It can be moved into a std::thread. If pinning fails it runs
// unpinned.
template <int K>
class thread_numa : public std::thread
{
  public:
    thread_numa() noexcept = default;
    template <class F, class... A,
              class = typename std::enable_if<
                  !std::is_base_of<std::thread, typename std::decay<F>::type>::value>::type>
    explicit thread_numa(F &&f, A &&...a)
        : std::thread(numafy_detail_::pinned<typename std::decay<F>::type, K>{std::forward<F>(f)},
                      std::forward<A>(a)...)
    {
    }
    thread_numa(thread_numa &&) noexcept = default;
    thread_numa &operator=(thread_numa &&) noexcept = default;
};

} // namespace numafy
} // extern "C++"
#endif // NUMAFY_STD_HPP
