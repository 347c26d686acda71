// Where an expression can stand: returns, throws, conditions, commas, loops, bindings, calls, deep paths.
#include "check.h"
#include "numa_alloc.h"
#include <cstddef>
#include "numafy/near.h"
#line 5

struct Node {
    int v = 0;
    Node *next = nullptr;
};
struct Inner {
    Node *s = nullptr;
};
struct Middle {
    Inner r[3];
    Node **table = nullptr;
};
struct Owner {
    Middle *q = nullptr;
    Node *x = nullptr, *y = nullptr;
    Node *slots[4] = {};
    static int use(const Node *n)
    {
        CHECK_NODE(n, 1);
        int v = n->v;
        delete n;
        return v;
    }
    Node *returned(bool b, int v)
    {
        if (b)
            return  ::new (::numafy::near(this)) Node{v, nullptr};
        return b ? nullptr : (x = nullptr,  ::new (::numafy::near(this)) Node{v, x});
    }
    int conditions(int v)
    {
        int sum = 0;
        if (Node *n =  ::new (::numafy::near(this)) Node{v, nullptr})
            sum += use(n);
        while (Node *n = v-- > 0 ?  ::new (::numafy::near(this)) Node{v, nullptr} : nullptr)
            sum += use(n);
        for (Node *n =  ::new (::numafy::near(this)) Node{v, nullptr}, *next; n != nullptr; n = next) {
            next = n->v < 3 ?  ::new (::numafy::near(this)) Node{n->v + 1, nullptr} : nullptr;
            sum += use(n);
        }
        do
            sum += use(x =  ::new (::numafy::near(this)) Node{4, nullptr});
        while (!x);
        switch ((y =  ::new (::numafy::near(this)) Node{5, nullptr})->v) {
        case 5:
            sum += use(y);
        }
        for (int i : {1, 2})
            sum += use(slots[i] =  ::new (::numafy::near(&slots[i])) Node{i, nullptr});
        return sum;
    }
    void paths(int i)
    {
        Owner *p = this;
        this->q =  ::new (::numafy::near(this)) Middle;
        p->q->r[i].s =  ::new (::numafy::near(&p->q->r[i])) Node{1, nullptr};
        (*p).x =  ::new (::numafy::near(p)) Node{2, nullptr};
        (*this).y =  ::new (::numafy::near(this)) Node{3, nullptr};
        Node **slot = &slots[i];
        *slot =  ::new (::numafy::near(slot)) Node{4, nullptr};
        *(slots + i + 1) =  ::new (::numafy::near(slots+i+1)) Node{5, nullptr};
        q->table =  ::new (::numafy::near(q)) Node *[2]{};
        q->table[i - 1] =  ::new (::numafy::near(&q->table[i-1])) Node{6,  ::new (::numafy::near(this)) Node{7, nullptr}};
        Node *&reference = q->table[i];
        reference =  ::new (::numafy::near(&reference)) Node{8, nullptr};
        for (const Node *n : {p->q->r[i].s, x, y, slots[i], slots[i + 1], q->table[i - 1], q->table[i - 1]->next, q->table[i]})
            std::printf("%d ", use(n));
        delete[] q->table;
        delete q;
    }
    int thrown(int v)
    {
        try {
            throw  ::new (::numafy::near(this)) Node{v, nullptr};
        } catch (Node *n) {
            Node *more =  ::new (::numafy::near(this)) Node{v + 1, nullptr};
            return use(n) + use(more);
        }
    }
    int bindings()
    {
        struct Pair {
            Node *a, *b;
        };
        auto [a, b] = Pair{ ::new (::numafy::near(this)) Node{1, nullptr},  ::new (::numafy::near(this)) Node{2, nullptr}};
        Pair pair{nullptr, nullptr};
        auto &[c, d] = pair;
        c =  ::new (::numafy::near(this)) Node{3, nullptr};
        d = (c->v++,  ::new (::numafy::near(this)) Node{4, nullptr});
        Node *list[] = { ::new (::numafy::near(this)) Node{5, nullptr},  ::new (::numafy::near(this)) Node{6, nullptr}};
        auto [e, f] = list;
        return use(a) + use(b) + use(c) + use(d) + use(e) + use(f);
    }
    int in_try(int v)
    try {
        return use( ::new (::numafy::near(this)) Node{v, nullptr});
    } catch (...) {
        return use( ::new (::numafy::near(this)) Node{v, nullptr});
    }
};

int main()
{
    Owner *owner = new numa<Owner, 1>();
    std::printf("%d %d ", Owner::use(owner->returned(true, 1)), Owner::use(owner->returned(false, 2)));
    owner->paths(1);
    std::printf("%d %d %d %d\n", owner->conditions(3), owner->thrown(4), owner->bindings(), owner->in_try(5));
}
