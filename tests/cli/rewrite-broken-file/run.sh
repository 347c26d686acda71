# SPDX-License-Identifier: Apache-2.0
# Status 2: a file that does not parse is copied unchanged and listed, the rest is done.
. "$HELPERS/tree.sh"
tree_make tree
tree_break tree
"$TOOL" tree -p tree-build --out out --place Item=1 --report report.json >summary
echo "status $?"
diff -rq tree out
"$PYTHON" - <<'END'
import json
report = json.load(open("report.json"))
print([(f["path"], f["status"]) for f in report["files"] if f["path"] == "src/other.cpp"])
print(report["totals"]["files_failed"], report["totals"]["files_edited"])
END
grep 'files edited' summary
