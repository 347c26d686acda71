# SPDX-License-Identifier: Apache-2.0
# What NUMAFY_MODE makes of a full node.
numafy_test_program(place_modes SOURCES place_modes.c LIBS numafy_headers)
