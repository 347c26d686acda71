// What assigns objects of a template's parameter has a scope where they may allocate: for strings,
// not for numbers. What is ambient around is not lost there.
#include "check.h"

#include <cstdio>
#include <string>

template <class T>
class Row
{
  public:
    Row() : items_(new T[8]), count_(0) {}
    ~Row() { delete[] items_; }
    Row(const Row &) = delete;
    void operator=(const Row &) = delete;

    void push(const T &item)
    {
        items_[count_] = item;
        count_++;
    }

    // Another reason as well.
    void push_named(const T &item)
    {
        name_ += "+";
        items_[count_++] = item;
    }

    template <class U>
    void push_both(const T &item, U &other, const U &value)
    {
        items_[count_++] = item;
        other = value;
    }

    T &last() { return items_[count_ - 1]; }

  private:
    T *items_;
    int count_;
    std::string name_;
};

struct Shelf {
    Row<std::string> texts;
    Row<int> numbers;
    std::string label;

    void fill(const std::string &text)
    {
        texts.push(text);
        numbers.push(1);
        label = text + " on the label, behind a row of numbers";
        numbers.push_named(2);
        texts.push_named(text);
        texts.push_both(text, label, text + ", once more, and longer than before it was assigned");
    }
};

int main()
{
    Shelf *shelf = new Shelf;
    const std::string text = "a text that is longer than what fits into the string itself";
    shelf->fill(text);
    CHECK_NODE(shelf, 1);
    CHECK_NODE(&shelf->texts.last(), 1);
    CHECK_NODE(shelf->texts.last().data(), 1);
    shelf->texts.push(text); // with nothing ambient around it
    CHECK_NODE(shelf->texts.last().data(), 1);
    CHECK_NODE(&shelf->numbers.last(), 1);
    CHECK_NODE(shelf->label.data(), 1);
    std::printf("%s %d %s\n", shelf->texts.last().c_str(), shelf->numbers.last(),
                shelf->label.c_str());
    delete shelf;
}
