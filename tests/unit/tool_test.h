/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka with what it wants to be included before it. */
#ifndef NUMAFY_TOOL_TEST_H
#define NUMAFY_TOOL_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#endif
