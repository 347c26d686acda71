// The owner is a specialisation for a class that is only declared so far: `&` would look for operator& in it, complete it,
// and end in an error. Everywhere in the program, so that a header gets one text whatever was included before it.
#include "check.h"
#include "numa_alloc.h"
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>
#include "numafy/near.h"
#line 9

class Rule;
using Grammar = std::unordered_map<std::string, Rule>;
template <typename T> struct Box {
    T item;
    std::vector<std::shared_ptr<int>> all;
};

struct Part {
    Part(const Grammar &g, int n) : grammar(g), number(n) {}
    const Grammar &grammar;
    int number;
};

static std::shared_ptr<Part> refer(const Grammar &grammar, int n) { NUMAFY_SCOPE(static_cast<const void *>(__builtin_addressof(grammar))); return std::make_shared<Part>(grammar, n); }
static std::shared_ptr<Part> first(const Grammar &grammar, Box<Rule> &box);

class Rule
{
  public:
    std::string text;
    std::shared_ptr<Part> part;
};

static std::shared_ptr<Part> first(const Grammar &grammar, Box<Rule> &box)
{ NUMAFY_SCOPE(&box);
    box.all.push_back(std::make_shared<int>(7));
    return std::make_shared<Part>(grammar, 1);
}
static void rest(std::vector<std::string> &words) { NUMAFY_SCOPE(&words); words.push_back(std::string(100, 'x')); }

struct Parser {
    Grammar grammar;
    Box<Rule> box;
    std::vector<std::string> words;
};

int main()
{
    Parser *parser = new numa<Parser, 1>();
    Rule rule;
    rule.part = ((void)::numafy::enter(&rule), ::numafy::leave(refer(parser->grammar, 2)));
    CHECK_NODE(rule.part.get(), 1);
    rule.part = ((void)::numafy::enter(&rule), ::numafy::leave(first(parser->grammar, parser->box)));
    CHECK_NODE(rule.part.get(), 1);
    rest(parser->words);
    CHECK_NODE(parser->words[0].data(), 1);
    std::printf("%d %zu line %d\n", rule.part->number, parser->box.all.size(), __LINE__);
    rule.part.reset();
    delete static_cast<numa<Parser, 1> *>(parser);
}
