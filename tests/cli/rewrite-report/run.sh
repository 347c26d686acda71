# SPDX-License-Identifier: Apache-2.0
# The report has the fields that scripts rely on, and its totals are the sums of its sites.
. "$HELPERS/tree.sh"
tree_make tree
"$TOOL" tree -p tree-build --place Item=1 --report report.json >/dev/null
"$PYTHON" - <<'END'
import json
report = json.load(open("report.json"))
def check(what, names):
    missing = [n for n in names.split() if n not in what]
    assert not missing, missing
check(report, "version tree files sites totals")
check(report["totals"], "sites near on scope left lost files_edited files_failed")
check(report["files"][0], "path status reason")
check(report["sites"][0], "file line column kind type owner action reason id")
sites, totals = report["sites"], report["totals"]
for action in ("near", "on", "scope", "left"):
    assert totals[action] == sum(s["action"] == action for s in sites), action
assert totals["sites"] == len(sites)
for s in sites:
    print(s["file"], s["line"], s["column"], s["kind"], s["type"], s["action"], bool(s["id"]))
END
