#include <stddef.h>

struct link {
    struct link *next;
    const char *key;
    void *value;
};

struct box {
    struct link *links;
    void *any;
};

struct box *box_new(void);
struct link *link_first(struct box *b);
void box_put(struct box *b, const char *key, void *value);
void box_put_all(int count, void *value, struct box *b);
void box_show(const struct box *b, const void *value);
struct link *cons(void *value, struct link *rest);
char *text_new(const char *s);
