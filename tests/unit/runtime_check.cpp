// SPDX-License-Identifier: Apache-2.0
// runtime_check.cpp: the debug build, once for each level of NUMAFY_DEBUG: every kind of misuse
// ends the child that commits it with its line, from the level on that promises so. That right code
// is left alone is what the other unit tests show, which run at level 3 too.
#include "runtime_inside.h"

#include <csetjmp>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern "C" {
#include <cmocka.h>
}

namespace
{

// How a child that runs f ended, and what it said.
struct End {
    int status;
    std::string said;
};

template <class F>
End in_child(F f)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        signal(SIGABRT, SIG_DFL);
        f();
        _exit(0);
    }
    close(ends[1]);
    End end = {0, ""};
    char text[512];
    for (ssize_t n; (n = read(ends[0], text, sizeof text)) > 0;)
        end.said.append(text, static_cast<size_t>(n));
    close(ends[0]);
    assert_int_equal(waitpid(child, &end.status, 0), child);
    return end;
}

// The child says all of the words in one line of ours, and aborts; below `level` nothing is
// promised.
template <class F, class... Words>
void dies_from(int level, F f, Words... words)
{
    if (NUMAFY_DEBUG < level)
        return;
    const End end = in_child(f);
    const char *const all[] = {words...};
    for (const char *word : all)
        if (end.said.find(word) == std::string::npos)
            fail_msg("\"%s\" is not in: %s", word, end.said.c_str());
    assert_int_equal(end.said.compare(0, 8, "numafy: "), 0);
    assert_int_equal(end.said.find('\n'), end.said.size() - 1);
    assert_true(WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGABRT);
}

template <class F>
void lives(F f)
{
    const End end = in_child(f);
    assert_string_equal(end.said.c_str(), "");
    assert_int_equal(end.status, 0);
}

// Compilers see these bugs too, and may do as they like: they must not know what a pointer is.
template <class T>
T *hidden(T *p)
{
    T *volatile q = p;
    return q;
}

char *block(int node, size_t size)
{
    return static_cast<char *>(numafy_malloc(node, size));
}

struct Item {
    int value;
    Item *next;
};

void test_double_free(void **)
{
    dies_from(
        1,
        [] {
            char *p = block(1, 48);
            free(hidden(p));
            free(hidden(p));
        },
        "double free", "node 1", "48 bytes");
    dies_from(
        1,
        [] {
            char *p = block(2, 100), *q[1000];
            for (char *&other : q)
                other = block(2, 100);
            free(hidden(p));
            for (char *&other : q)
                free(other);
            numafy_thread_flush();
            free(hidden(p));
        },
        "double free", "node 2");
    dies_from(
        1,
        [] {
            char *p = block(0, 3 << 20);
            free(hidden(p));
            free(hidden(p));
        },
        "double free", "node 0");
    dies_from(
        1,
        [] {
            char *p = block(3, 20);
            std::thread([p] { free(hidden(p)); }).join();
            numafy_free(hidden(p));
        },
        "double free", "node 3");
    dies_from(
        1,
        [] {
            Item *p = ::new (numafy::on(1)) Item();
            delete hidden(p);
            delete hidden(p);
        },
        "free already", "node 1");
}

void test_pointers_that_no_allocation_returned(void **)
{
    dies_from(
        1, [] { free(hidden(block(1, 100) + 16)); }, "free of a pointer 16 bytes into the block at",
        "node 1");
    dies_from(
        1, [] { free(hidden(block(1, 100) + 1)); }, "free of a pointer 1 bytes into the block at");
    dies_from(
        1, [] { free(hidden(block(1, 1 << 20) + 5000)); }, "5000 bytes into the block", "node 1");
    dies_from(
        1, [] { free(hidden(block(1, 100) + (1 << 20))); }, "where no block begins");
    dies_from(
        1,
        [] {
            numafy_free(reinterpret_cast<void *>(numafy_state_v3.base + numafy_state_v3.span - 64));
        },
        "where no block begins");
}

void test_a_freed_block_is_not_resized_nor_measured(void **)
{
    dies_from(
        1,
        [] {
            char *p = block(1, 48);
            free(hidden(p));
            (void)!realloc(hidden(p), 300);
        },
        "use of a block that is free already", "node 1");
    dies_from(
        1,
        [] {
            char *p = block(1, 48);
            free(hidden(p));
            (void)!numafy_usable_size(hidden(p));
        },
        "use of a block that is free already", "node 1");
}

void test_typed_delete_of_another_nodes_block(void **)
{
    dies_from(
        1, [] { delete hidden(::new (numafy::on(2)) numafy::numa<Item, 1>()); },
        "delete of a numa<T,1> that is not on its node", "node 2");
    dies_from(
        1, [] { delete hidden(new (malloc(64)) numafy::numa<Item, 1>()); },
        "delete of a numa<T,1> that is not on its node", "node -1");
    lives([] {
        delete hidden(new numafy::numa<Item, 1>());
        Item *p = new numafy::numa<Item, 1>();
        delete hidden(p);
    });
}

void test_sized_delete_with_another_size(void **)
{
    dies_from(
        1, [] { ::operator delete(hidden(static_cast<void *>(block(0, 100))), 20); },
        "delete of 20 bytes of a block that has another size", "node 0", "112 bytes");
    dies_from(
        1, [] { ::operator delete(hidden(static_cast<void *>(block(0, 100))), 200); },
        "delete of 200 bytes");
    lives([] { ::operator delete(hidden(static_cast<void *>(block(0, 100))), 100); });
    lives([] { ::operator delete(hidden(static_cast<void *>(block(0, 100000))), 100000); });
}

void test_use_after_free(void **)
{
    dies_from(
        2,
        [] {
            char *p = block(1, 64);
            free(hidden(p));
            hidden(p)[40] = 1;
            for (int i = 0; i < 1000; i++)
                (void)!block(1, 64);
        },
        "byte 40 of a free block was written to", "node 1", "64 bytes");
}

void test_fresh_memory_is_not_zero_by_chance(void **)
{
    if (NUMAFY_DEBUG < 2)
        return;
    const unsigned char *p = reinterpret_cast<unsigned char *>(block(1, 500));
    for (int i = 0; i < 500; i++)
        assert_int_equal(p[i], 0xd0);
    free(const_cast<unsigned char *>(p));
    p = static_cast<unsigned char *>(numafy_calloc(1, 5, 100));
    for (int i = 0; i < 500; i++)
        assert_int_equal(p[i], 0);
    free(const_cast<unsigned char *>(p));
}

numafy_bin *bin_of(int node, size_t size)
{
    return numafy_bin_of(numafy_slot_of_node(node), numafy_class_of(size));
}

void test_damaged_caches(void **)
{
    free(block(1, 160));
    dies_from(
        1,
        [] {
            numafy_bin *bin = bin_of(1, 160);
            char *p = block(1, 160);
            *bin->numafy_top_ = p; // as a bug of ours would: a block that lives goes into the bin
            bin->numafy_top_++;
            (void)!block(1, 160);
        },
        "handed out that is in use", "node 1", "160 bytes");
    const auto fill = [] {
        static char *p[600];
        for (char *&q : p)
            q = block(1, 160);
        for (char *&q : p)
            free(q);
    };
    dies_from(
        3,
        [&] {
            fill();
            numafy_bin *bin = bin_of(1, 160);
            bin->numafy_empty_[0] = bin->numafy_empty_[1];
            numafy_thread_flush();
        },
        "a cache is damaged", "twice", "node 1");
    dies_from(
        3,
        [&] {
            fill();
            bin_of(1, 160)->numafy_empty_[0] = block(2, 160);
            numafy_thread_flush();
        },
        "a cache is damaged", "another pool", "node 2");
    dies_from(
        3,
        [&] {
            fill();
            bin_of(1, 160)->numafy_empty_[0] = block(1, 1000);
            numafy_thread_flush();
        },
        "a cache is damaged", "another size", "node 1");
    dies_from(
        3,
        [&] {
            fill();
            numafy_depot *d =
                &numafy_pools_v3.slot[numafy_slot_of_node(1)].depot[numafy_class_of(160)];
            d->count++;
            numafy_thread_flush();
        },
        "a cache is damaged", "depot");
}

} // namespace

int main()
{
    // Pools and warnings once, before the children.
    setenv("NUMAFY_QUIET", "1", 1);
    for (int node = 0; node < 4; node++)
        free(numafy_malloc(node, 100));
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_double_free),
        cmocka_unit_test(test_pointers_that_no_allocation_returned),
        cmocka_unit_test(test_a_freed_block_is_not_resized_nor_measured),
        cmocka_unit_test(test_typed_delete_of_another_nodes_block),
        cmocka_unit_test(test_sized_delete_with_another_size),
        cmocka_unit_test(test_use_after_free),
        cmocka_unit_test(test_fresh_memory_is_not_zero_by_chance),
        cmocka_unit_test(test_damaged_caches),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
