/* SPDX-License-Identifier: Apache-2.0 */
#include "path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *path_join(struct arena *a, const char *dir, const char *name)
{
    if (name[0] == '/' || !*dir)
        return arena_strdup(a, name);
    bool slash = dir[strlen(dir) - 1] == '/';
    return arena_printf(a, "%s%s%s", dir, slash ? "" : "/", name);
}

char *path_real(struct arena *a, const char *path)
{
    char *real = realpath(path, NULL);
    if (!real)
        return NULL;
    char *copy = arena_strdup(a, real);
    free(real);
    return copy;
}

/* Resolves . and .. of the part that does not exist. */
static char *append_part(struct arena *a, char *dir, const char *part)
{
    if (!*part || !strcmp(part, "."))
        return dir;
    if (strcmp(part, "..") != 0)
        return path_join(a, dir, part);
    char *slash = strrchr(dir, '/');
    return slash && slash != dir ? arena_strndup(a, dir, (size_t)(slash - dir))
                                 : arena_strdup(a, "/");
}

char *path_future(struct arena *a, const char *path)
{
    char *real = path_real(a, path);
    if (real)
        return real;
    char *copy = arena_strdup(a, path);
    size_t n = strlen(copy);
    while (n > 1 && copy[n - 1] == '/')
        copy[--n] = '\0';
    char *slash = strrchr(copy, '/');
    if (!slash)
        return append_part(a, path_real(a, "."), copy);
    char *last = arena_strdup(a, slash + 1);
    *slash = '\0';
    char *dir = path_future(a, *copy ? copy : "/");
    return dir ? append_part(a, dir, last) : NULL;
}

bool path_within(const char *path, const char *dir)
{
    size_t n = strlen(dir);
    if (!strcmp(dir, "/"))
        return path[0] == '/';
    return !strncmp(path, dir, n) && (path[n] == '/' || path[n] == '\0');
}

const char *path_below(const char *path, const char *dir)
{
    const char *p = path + (strcmp(dir, "/") ? strlen(dir) : 0);
    while (*p == '/')
        p++;
    return p;
}

const char *path_extension(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    return dot ? dot + 1 : "";
}

int path_read(const char *path, struct strbuf *out)
{
    FILE *f = fopen(path, "rbe");
    if (!f)
        return -1;
    char buf[65536];
    size_t n;
    while ((n = fread(buf, 1, sizeof buf, f)) > 0)
        strbuf_add(out, buf, n);
    int failed = ferror(f);
    fclose(f);
    return failed ? -1 : 0;
}

static int write_all(int fd, const char *bytes, size_t size)
{
    while (size) {
        ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        bytes += n;
        size -= (size_t)n;
    }
    return 0;
}

int path_write_atomic(const char *path, const char *bytes, size_t size, mode_t mode)
{
    struct arena a = {0};
    char *temp = arena_printf(&a, "%s.nfXXXXXX", path);
    int result = -1, fd = mkostemp(temp, O_CLOEXEC);
    if (fd >= 0) {
        int failed = write_all(fd, bytes, size) || fchmod(fd, mode & 07777);
        failed |= close(fd);
        if (!failed && rename(temp, path) == 0) {
            result = 0;
        } else {
            int saved = errno;
            unlink(temp);
            errno = saved;
        }
    }
    arena_release(&a);
    return result;
}

int path_make_dirs(const char *path)
{
    struct stat st;
    char *copy = mem_strdup(path);
    for (char *p = copy + 1;; p++) {
        if (*p != '/' && *p != '\0')
            continue;
        char c = *p;
        *p = '\0';
        if (mkdir(copy, 0777) && errno != EEXIST) {
            free(copy);
            return -1;
        }
        *p = c;
        if (!c)
            break;
    }
    free(copy);
    if (stat(path, &st))
        return -1;
    if (!S_ISDIR(st.st_mode)) {
        errno = ENOTDIR;
        return -1;
    }
    return 0;
}
