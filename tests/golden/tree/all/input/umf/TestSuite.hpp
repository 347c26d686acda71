struct Program {
    List *list = nullptr;
    void start() { list = new List; }
};
