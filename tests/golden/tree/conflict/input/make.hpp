// P82: Two units need different texts for the same token: no edit there, exit 4, the rest is done.
#ifndef MAKE_HPP
#define MAKE_HPP
inline void *make()
{
    return new Thing{1};
}
#endif
