struct store {
    int *item;
};
extern struct store shared NUMA(1);
