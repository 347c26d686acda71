# SPDX-License-Identifier: Apache-2.0
"""What tests/run.py and the layers' runners are made of. Needs the standard library alone."""
