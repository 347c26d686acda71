# SPDX-License-Identifier: Apache-2.0
# --types: the recursion of owners from each root, where it stops and why, and what nothing allocates.
. "$HELPERS/tree.sh"
. "$HELPERS/shop.sh"
shop_make tree
"$TOOL" tree -p tree-build --types --place Shop=1 --report report.json 2>errors
echo "status $?"
"$TOOL" tree -p tree-build --types --place Shelf=owner --root registry=local 2>/dev/null
grep -c NF errors
"$PYTHON" - <<'END'
import json
for entry in json.load(open("report.json"))["types"]:
    print(entry["type"], entry["node"] or "-", entry["owner"] or "-", entry["id"] or "-", *entry["sites"])
END
ls
