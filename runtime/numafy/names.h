/* SPDX-License-Identifier: Apache-2.0 */
/* names.h: functions of ours that more than one unit or library sees and that know the layout of
 * types.h get the layout's version into their symbol, as the variables of state.h have it. Two
 * versions in one process then never call into each other; guard.h tells of them. The functions of
 * numa_alloc.h and near.h keep their names: their meaning is fixed. */
#ifndef NUMAFY_NAMES_H
#define NUMAFY_NAMES_H

/* Changes with every struct of types.h; so do the names here and in state.h. */
#define NUMAFY_LAYOUT 3

#define numafy_bind_ numafy_bind_v3
#define numafy_calls_calloc numafy_calls_calloc_v3
#define numafy_calls_malloc numafy_calls_malloc_v3
#define numafy_calls_new numafy_calls_new_v3
#define numafy_calls_plain_calloc numafy_calls_plain_calloc_v3
#define numafy_calls_plain_malloc numafy_calls_plain_malloc_v3
#define numafy_first_calloc_ numafy_first_calloc_v3
#define numafy_first_free_ numafy_first_free_v3
#define numafy_first_malloc_ numafy_first_malloc_v3
#define numafy_first_memalign_ numafy_first_memalign_v3
#define numafy_first_realloc_ numafy_first_realloc_v3
#define numafy_first_usable_size_ numafy_first_usable_size_v3
#define numafy_fork_child_ numafy_fork_child_v3
#define numafy_fork_parent_ numafy_fork_parent_v3
#define numafy_fork_prepare_ numafy_fork_prepare_v3
#define numafy_plain_malloc_ numafy_plain_malloc_v3
#define numafy_reach_before_free_ numafy_reach_before_free_v3
#define numafy_reach_before_root_ numafy_reach_before_root_v3
#define numafy_ready_ numafy_ready_v3
#define numafy_slot_ numafy_slot_v3
#define numafy_slow_alloc_ numafy_slow_alloc_v3
#define numafy_slow_free_ numafy_slow_free_v3
#define numafy_start_ numafy_start_v3
#define numafy_thread_end_ numafy_thread_end_v3
#define numafy_thread_exit_ numafy_thread_exit_v3
#define numafy_thread_own_ numafy_thread_own_v3

#endif /* NUMAFY_NAMES_H */
