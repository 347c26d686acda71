/* SPDX-License-Identifier: Apache-2.0 */
/* env.h: the NUMAFY_ environment and the warnings, each given once. It only fills in the settings
 * of numafy_pools_v3; what they lead to is decided in slow.h. */
#ifndef NUMAFY_ENV_H
#define NUMAFY_ENV_H

#include "live.h"
#include "os.h"
#include "state.h"

enum numafy_warning {
    NUMAFY_WARN_VALUE = 1 << 0,
    NUMAFY_WARN_NAME = 1 << 1,
    NUMAFY_WARN_LATER = 1 << 2,
    NUMAFY_WARN_REDIRECT = 1 << 3,
    NUMAFY_WARN_MBIND = 1 << 4,
    NUMAFY_WARN_EXHAUSTED = 1 << 5,
    NUMAFY_WARN_OFF = 1 << 6,
    NUMAFY_WARN_MODE = 1 << 7,
    NUMAFY_WARN_SYSFS = 1 << 8,
    NUMAFY_WARN_PIN = 1 << 9,
    NUMAFY_WARN_HUGE = 1 << 10,
    NUMAFY_WARN_HUGE_FEW = 1 << 11
};

/* True for the first caller, if warnings are wanted. */
NUMAFY_FN_ bool numafy_warn_now(unsigned warning)
{
    const unsigned old = __atomic_fetch_or(&numafy_pools_v3.warned, warning, __ATOMIC_RELAXED);
    return !(old & warning) && !numafy_pools_v3.quiet;
}

NUMAFY_FN_ bool numafy_text_is(const char *a, const char *b)
{
    return !__builtin_strcmp(a, b);
}

NUMAFY_FN_ void numafy_env_bad_value(const char *name, const char *value, const char *wanted)
{
    char text[256];
    if (!numafy_warn_now(NUMAFY_WARN_VALUE))
        return;
    snprintf(text, sizeof text, "numafy: %s=%.60s is not understood and ignored; it takes %s\n",
             name, value, wanted);
    numafy_os_say(text);
}

/* `0:2,1:3`: pool 0 on the kernel's node 2, pool 1 on node 3. All or nothing. */
NUMAFY_FN_ void numafy_env_nodemap(const char *value)
{
    int16_t map[NUMAFY_NODES];
    unsigned from, to;
    __builtin_memset(map, 0, sizeof map);
    for (const char *s = value; *s;) {
        s = numafy_parse_number(s, NUMAFY_NODES - 1, &from);
        if (s && *s == ':')
            s = numafy_parse_number(s + 1, NUMAFY_NODES - 1, &to);
        else
            s = NULL;
        if (!s || (*s && *s != ',')) {
            numafy_env_bad_value("NUMAFY_NODEMAP", value, "pairs of node ids like 0:2,1:3");
            return;
        }
        map[from] = (int16_t)(to + 1);
        s += *s == ',';
    }
    __builtin_memcpy(numafy_pools_v3.map, map, sizeof map);
}

NUMAFY_FN_ bool numafy_env_number(const char *value, unsigned limit, unsigned *out)
{
    const char *end = numafy_parse_number(value, limit, out);
    return end && !*end;
}

/* 0, 1, 2, or a size in bytes with K, M or G behind it. What the kernel has of it: huge.h. */
NUMAFY_FN_ void numafy_env_huge(const char *value)
{
    const char *s = value;
    size_t n = 0;
    for (; *s >= '0' && *s <= '9' && n < (size_t)1 << 36; s++)
        n = n * 10 + (size_t)(*s - '0');
    const char unit = (char)(*s | 32);
    const int shift = unit == 'k' ? 10 : unit == 'm' ? 20 : unit == 'g' ? 30 : 0;
    if (s == value || s[shift != 0] || n > (size_t)1 << (shift ? 24 : 36))
        numafy_env_bad_value("NUMAFY_HUGE", value, "0, 1, 2 or a size like 2M");
    else
        numafy_pools_v3.huge = n << shift;
}

/* Variables of the driver and the compiler wrappers (docs/cli.md): a build or test that they start
 * may run rewritten programs, which have nothing to say about them. */
NUMAFY_FN_ bool numafy_env_is_driver(const char *name)
{
    return numafy_text_is(name, "REWRITE") || numafy_text_is(name, "REAL_CC") ||
           numafy_text_is(name, "REAL_CXX") || numafy_text_is(name, "CC_LOG") ||
           numafy_text_is(name, "CC_SITES") || numafy_text_is(name, "DEBUG");
}

/* One variable, `name` without the prefix. */
NUMAFY_FN_ void numafy_env_take(const char *name, const char *value)
{
    struct numafy_pools *g = &numafy_pools_v3;
    unsigned n;
    if (numafy_text_is(name, "MODE")) {
        if (!numafy_text_is(value, "prefer") && !numafy_text_is(value, "bind") &&
            !numafy_text_is(value, "abort"))
            numafy_env_bad_value("NUMAFY_MODE", value, "prefer, bind or abort");
        else
            g->mode = *value == 'b' ? NUMAFY_BIND : *value == 'a' ? NUMAFY_ABORT : NUMAFY_PREFER;
    } else if (numafy_text_is(name, "NODEMAP")) {
        numafy_env_nodemap(value);
    } else if (numafy_text_is(name, "CACHE")) {
        g->want_onnode = numafy_text_is(value, "onnode");
        g->use_tcache = numafy_text_is(value, "tcache");
        if (!g->want_onnode && !g->use_tcache && !numafy_text_is(value, "magazine"))
            numafy_env_bad_value("NUMAFY_CACHE", value, "magazine, tcache or onnode");
    } else if (numafy_text_is(name, "SHARDS")) {
        if (numafy_env_number(value, NUMAFY_SHARDS_MAX, &n) && n)
            g->shards = n;
        else
            numafy_env_bad_value("NUMAFY_SHARDS", value, "a number from 1 to 16");
    } else if (numafy_text_is(name, "AMBIENT")) {
        if (numafy_env_number(value, NUMAFY_NODES - 1, &n))
            g->ambient = (int)n + 1;
        else
            numafy_env_bad_value("NUMAFY_AMBIENT", value, "a node id");
    } else if (numafy_text_is(name, "SANITIZE")) {
        g->sanitize_pass = numafy_text_is(value, "pass");
        if (!g->sanitize_pass)
            numafy_env_bad_value("NUMAFY_SANITIZE", value, "pass");
    } else if (numafy_text_is(name, "SYSFS")) {
        g->sysfs = *value ? value : NULL;
    } else if (numafy_text_is(name, "STATS")) {
        g->stats = *value ? value : NULL;
    } else if (numafy_text_is(name, "HUGE")) {
        numafy_env_huge(value);
    } else if (numafy_text_is(name, "CHECK")) {
        numafy_live_v3.wanted = numafy_text_is(value, "reach");
        if (*value && !numafy_live_v3.wanted)
            numafy_env_bad_value("NUMAFY_CHECK", value, "reach");
    } else if (numafy_text_is(name, "REACH")) {
        numafy_live_v3.out = *value ? value : NULL;
    } else if (numafy_text_is(name, "RELEASE") || numafy_text_is(name, "WINDOW") ||
               numafy_text_is(name, "PERSISTENT")) {
        char text[128];
        snprintf(text, sizeof text, "numafy: this version does not have NUMAFY_%.20s: ignored\n",
                 name);
        if (numafy_warn_now(NUMAFY_WARN_LATER))
            numafy_os_say(text);
    } else if (!numafy_text_is(name, "QUIET") && !numafy_text_is(name, "SITES") &&
               !numafy_env_is_driver(name)) {
        char text[128];
        snprintf(text, sizeof text, "numafy: there is no setting NUMAFY_%.40s: ignored\n", name);
        if (numafy_warn_now(NUMAFY_WARN_NAME))
            numafy_os_say(text);
    }
}

/* Reads all NUMAFY_ variables; a program that runs with another's rights (setuid) reads none. */
NUMAFY_FN_ void numafy_env_read(void)
{
    const char *quiet = numafy_os_getenv_("NUMAFY_QUIET");
    numafy_pools_v3.quiet = quiet && !numafy_text_is(quiet, "0");
    for (char **e = numafy_os_environ_; e && *e; e++) {
        char name[64];
        const char *equals = __builtin_strchr(*e, '=');
        if (__builtin_strncmp(*e, "NUMAFY_", 7) || !equals || (size_t)(equals - *e) >= sizeof name)
            continue;
        __builtin_memcpy(name, *e, (size_t)(equals - *e));
        name[equals - *e] = 0;
        if (numafy_os_getenv_(name))
            numafy_env_take(name + 7, equals + 1);
    }
}

#endif /* NUMAFY_ENV_H */
