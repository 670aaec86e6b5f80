#!/bin/sh
# Speed, memory and accuracy of every competing method at the paper's two sizes (linear data, m = 1000):
#   tools/method_speed.sh [--limit CPU_SECONDS] [--graphs COUNT] [--bin FOLDER] [METHOD ...]
# A row that needs more processor seconds than the limit (600) says how far it came. Wall seconds mean
# something on an idle machine only. Without methods: all of them, save that the two slowest neural ones are
# run with 100 variables only.
set -eu
limit=600
graphs=1
bin=build/release/bin
while [ $# -gt 0 ]; do
  case $1 in
    --limit) limit=$2; shift 2 ;;
    --graphs) graphs=$2; shift 2 ;;
    --bin) bin=$2; shift 2 ;;
    -*) echo "method_speed.sh: unknown option $1; accepted are --limit, --graphs and --bin" >&2; exit 2 ;;
    *) break ;;
  esac
done
bench=$bin/method_bench
[ -x "$bench" ] || { echo "method_speed.sh: $bench is missing; build it first (make build)" >&2; exit 1; }
all="corr invcov var-sort-n-regress r2-sort-n-regress pc rfci fci ges gies direct-lingam notears dagma sdcd"
methods=${*:-$all notears-mlp diffan}

"$bench" header
for size in "n=100 edges=4" "n=1000 edges=2"; do
  for method in $methods; do
    case "$size $method $#" in
      "n=1000 "*" notears-mlp 0" | "n=1000 "*" diffan 0") continue ;;
    esac
    # shellcheck disable=SC2086 # the size is two arguments
    "$bench" "$method" $size graphs="$graphs" limit="$limit" 2>/dev/null || echo "$method $size: failed"
  done
done
