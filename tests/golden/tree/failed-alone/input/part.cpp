void Node::grow()
{
    next = new Node{v + 1, nullptr};
}
