struct Node {
    int v;
};
Node *make()
{
    return new Node{1;
}
