/* SPDX-License-Identifier: Apache-2.0 */
/* site.h: with NUMAFY_SITES, a text with the compiler's working folder, every tag, entry and
 * replaced call tells where in the source it stands when it runs, and which node it asks for;
 * docs/cli.md has what comes of it. Without, the macros here are empty and nothing is noted.
 *
 * Part of near.h: no system header, no name that a user may have made a macro of. It must not know
 * what is done with the news: that is site_slow.h. */
#ifndef NUMAFY_SITE_H
#define NUMAFY_SITE_H

#if defined(NUMAFY_SITES) && !defined(NUMAFY_OFF)

#ifdef __cplusplus
extern "C" {
#endif
/* Each returns its first argument: an owner, a node, the node that was ambient before a scope. */
NUMAFY_OWNER_ const volatile void *numafy_site_near_(const volatile void *numafy_owner_,
                                                     const char *numafy_folder_,
                                                     const char *numafy_file_,
                                                     int numafy_line_) NUMAFY_NOTHROW_;
int numafy_site_on_(int numafy_node_, const char *numafy_folder_, const char *numafy_file_,
                    int numafy_line_) NUMAFY_NOTHROW_;
int numafy_site_scope_(int numafy_previous_, const char *numafy_folder_, const char *numafy_file_,
                       int numafy_line_) NUMAFY_NOTHROW_;
#ifdef __cplusplus
}
#endif

/* In a macro, which stands where the site is. */
#define NUMAFY_HERE_ NUMAFY_SITES, __FILE__, __LINE__
#define NUMAFY_SITE_NEAR_(owner) numafy_site_near_((owner), NUMAFY_HERE_)
#define NUMAFY_SITE_ON_(node) numafy_site_on_((node), NUMAFY_HERE_)
#define NUMAFY_SITE_SCOPE_(previous) numafy_site_scope_((previous), NUMAFY_HERE_)

/* In a C++ function: its default arguments are the caller's place. */
#define NUMAFY_SITE_PLACE_                                                                  \
    const char *numafy_folder_ = NUMAFY_SITES, const char *numafy_file_ = __builtin_FILE(), \
               int numafy_line_ = __builtin_LINE()
#define NUMAFY_SITE_ALSO_ , NUMAFY_SITE_PLACE_
#define NUMAFY_SITE_TYPES_ , const char *, const char *, int
#define NUMAFY_SITE_OWNER_(owner) \
    numafy_site_near_((owner), numafy_folder_, numafy_file_, numafy_line_)
#define NUMAFY_SITE_NODE_(node) numafy_site_on_((node), numafy_folder_, numafy_file_, numafy_line_)
/* numa<T,k>::at is no call: operator new tells for it. */
#define NUMAFY_SITE_MEMBER_ int numafy_is_at_;
#define NUMAFY_SITE_IS_(is_at) , is_at
#define NUMAFY_SITE_PLACED_(place)                 \
    ((place).numafy_is_at_                         \
         ? NUMAFY_SITE_NODE_((place).numafy_node_) \
         : ((void)numafy_folder_, (void)numafy_file_, (void)numafy_line_, (place).numafy_node_))

/* Proves that a unit was compiled with this header, and from which file; one per unit. */
#if defined(__has_attribute)
#if __has_attribute(__retain__)
#define NUMAFY_RETAINED_ , __retain__
#endif
#endif
#ifndef NUMAFY_RETAINED_
#define NUMAFY_RETAINED_
#endif
__attribute__((__section__("numafy_files"),
               __used__ NUMAFY_RETAINED_)) static const char numafy_unit_file_[] =
    NUMAFY_SITES "\n" __BASE_FILE__;

#else

#define NUMAFY_SITE_NEAR_(owner) (owner)
#define NUMAFY_SITE_ON_(node) (node)
#define NUMAFY_SITE_SCOPE_(previous) (previous)
#define NUMAFY_SITE_PLACE_
#define NUMAFY_SITE_ALSO_
#define NUMAFY_SITE_TYPES_
#define NUMAFY_SITE_OWNER_(owner) (owner)
#define NUMAFY_SITE_NODE_(node) (node)
#define NUMAFY_SITE_MEMBER_
#define NUMAFY_SITE_IS_(is_at)
#define NUMAFY_SITE_PLACED_(place) ((place).numafy_node_)

#endif
#endif /* NUMAFY_SITE_H */
