// P84: Line ends of two bytes stay, the inserted lines have them too.
#include "check.h"
#include "numa_alloc.h"

struct Node {
	int v;	// a tab
};
struct Owner {
	Node *n = nullptr;
	void fill() { n = new Node{1}; }	   
};

int main()
{
	Owner *owner = new numa<Owner, 1>();
	owner->fill();
	CHECK_NODE(owner->n, 1);
	std::printf("%d %s line %d\n", owner->n->v, "\xc3\xa9 é", __LINE__);
}
