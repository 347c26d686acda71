# SPDX-License-Identifier: Apache-2.0
# numafy.py types TREE: the rewriter's list; it goes with no option that writes. A folder called types is ./types.
. "$HELPERS/tree.sh"
. "$HELPERS/shop.sh"
shop_make shop
"$PYTHON" "$ROOT/scripts/numafy.py" types shop -p shop-build --place Shop=1 2>/dev/null
echo "status $?"
"$PYTHON" "$ROOT/scripts/numafy.py" types shop -p shop-build --out out
echo "status $?"
# One type, however its name is spelled.
"$PYTHON" "$ROOT/scripts/numafy.py" shop -p shop-build --place Shop=1 2>/dev/null | grep -E '^(db::)?Item|NF1003' -A 1
mv shop types
mv shop-build types-build
sed -i "s:$PWD/shop:$PWD/types:" types-build/compile_commands.json
"$PYTHON" "$ROOT/scripts/numafy.py" ./types -p types-build --place Shop=1 2>/dev/null | grep -c 'db::Item'
ls
