#ifndef STORE_H
#define STORE_H
struct leaf {
    int v;
    struct leaf *next;
};
struct context {
    struct context *parent;
    struct chunk *chunks;
};
struct store {
    struct leaf *first, *second, *third, *fourth;
    struct leaf *row[3];
    struct context *context;
    char *name;
};
struct pair {
    struct leaf *a, *b;
};
int fill_c89(struct store *s);
int fill_c23(struct store *s);
struct leaf *keep(struct store *s, struct leaf *l);
#endif
