# SPDX-License-Identifier: Apache-2.0
# A run that places nothing for want of a root says how to name one; --check says how much would change.
. "$HELPERS/tree.sh"
tree_make tree
export NUMAFY_REWRITE="$TOOL"
numafy() {
    echo "numafy${*:+ $*}"
    status=0
    "$PYTHON" "$ROOT/scripts/numafy.py" tree -p tree-build "$@" 2>messages >/dev/null || status=$?
    grep -E 'no root|--check' messages || echo 'no hint'
    echo "status $status"
}
numafy
numafy --place Item=1
numafy --place Item=1 --check
numafy --check
