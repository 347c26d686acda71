// SPDX-License-Identifier: Apache-2.0
// libfuzzer_runtime.c: the entry that libFuzzer calls with each input. All inputs run in one
// process, so each begins with what the inputs before it have left in the runtime's caches.
#include "numa_alloc.h"
#include "ops.h"

#ifdef NUMAFY_TEST_PLANT
int numafy_test_planted = NUMAFY_TEST_PLANT;
#endif

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    model_start();
    model_name_run("libFuzzer");
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ops_one_input(data, size);
    return 0;
}
