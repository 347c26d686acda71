// --place in lambdas: a static node needs no owner, so the capture does not matter.
#include "check.h"

struct Job {
    int id;
};

struct Queue {
    Job *held = nullptr;
    void run()
    {
        auto with_this = [this](int id) { held = new Job{id}; };
        auto without = [](int id) { return new Job{id}; };
        with_this(1);
        Job *other = without(2);
        CHECK_NODE(held, 3);
        CHECK_NODE(other, 3);
        std::printf("%d %d\n", held->id, other->id);
        delete held;
        delete other;
    }
};

int main()
{
    Queue queue;
    queue.run();
    auto in_main = [](int n) { return new Job[n](); };
    Job *jobs = in_main(5);
    CHECK_NODE(jobs, 3);
    delete[] jobs;
}
