// SPDX-License-Identifier: Apache-2.0
// outlive.c: threads use a library, which is closed before jemalloc gives its arenas' memory back
// and before later threads end.
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void *(*give)(int, unsigned long);
static void (*take)(void *);
static int (*control)(const char *, void *, size_t *, void *, size_t);

static void *use(void *arg)
{
    void *blocks[1000];
    for (int i = 0; i < 1000; i++)
        blocks[i] = give(i % 4, (unsigned long)i * 50 + 1);
    for (int i = 0; i < 1000; i++)
        take(blocks[i]);
    return arg;
}

static void *nothing(void *arg)
{
    free(malloc(100));
    return arg;
}

static void in_a_thread(void *(*run)(void *))
{
    pthread_t t;
    pthread_create(&t, NULL, run, NULL);
    pthread_join(t, NULL);
}

static void *load(void *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return puts(dlerror()), NULL;
    give = (void *(*)(int, unsigned long))(uintptr_t)dlsym(library, "part_give");
    take = (void (*)(void *))(uintptr_t)dlsym(library, "part_take");
    control = (int (*)(const char *, void *, size_t *, void *, size_t))(uintptr_t)dlsym(library,
                                                                                        "mallctl");
    in_a_thread(use);
    dlclose(library);
    return library;
}

int main(int argc, char **argv)
{
    pthread_t t;
    void *loaded;
    // jemalloc itself stays, as it would in a program that links it.
    if (argc < 2 || !dlopen("libjemalloc.so.2", RTLD_NOW))
        return 1;
    for (int i = 0; i < 3; i++) {
        pthread_create(&t, NULL, load, argv[1]);
        pthread_join(t, &loaded);
        if (!loaded)
            return 2;
        control("arena.4096.purge", NULL, NULL, NULL, 0);
        in_a_thread(nothing);
    }
    puts("end");
    return 0;
}
