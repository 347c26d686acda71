// Coroutines: this, parameters and locals live in the frame. A new-expression that suspends itself is left.
#include "check.h"
#include "numa_alloc.h"
#include <string>

struct Node {
    Node(const char *text, int number) : name(text), v(number) {}
    std::string name;
    int v;
};
#ifdef __cpp_impl_coroutine
#include <coroutine>

struct Task {
    struct promise_type {
        Node *current = nullptr;
        Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(Node *n) noexcept { return current = n, std::suspend_always(); }
        void return_value(Node *n) { current = n; }
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> handle;
    Node *next()
    {
        handle.resume();
        return handle.promise().current;
    }
};
struct Number {
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    int await_resume() const noexcept { return 3; }
};
struct Owner {
    Node *last = nullptr;
    Task run(int v)
    {
        last = new Node{"a name too long for the object itself", v};
        co_yield last;
        co_yield new Node{"another one, as long as the first", v + 1};
        Node *n = new Node{"one whose construction suspends in between", co_await Number()};
        co_yield n;
        co_return new Node{"the last one, and no shorter either", v + 4};
    }
};
int main()
{
    Owner *owner = new numa<Owner, 1>();
    Task task = owner->run(1);
    for (int i = 0; i < 5; i++) {
        Node *n = task.next();
        CHECK_NODE(n, i == 3 ? -1 : 1);
        if (i == 2)
            continue;
        std::printf("%d %s\n", n->v, n->name.c_str());
        delete n;
        task.handle.promise().current = nullptr;
        if (i == 1)
            task.handle.promise().current = owner->last = new Node{"", 0};
    }
    task.handle.destroy();
}
#else
int main()
{
    std::printf("%d\n", Node{"", 1}.v);
}
#endif
