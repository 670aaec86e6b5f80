#!/usr/bin/env bash
# Installs the build into an empty folder, builds a small project against the installed package, runs both.
set -euo pipefail
build=$1
consumer=$(cd "$(dirname "$0")" && pwd)/consumer
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/usr" >/dev/null
cmake -S "$consumer" -B "$work/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$work/usr" >/dev/null
cmake --build "$work/consumer"
printf 'a,b,c\n1,2,3\n2,1,5\n' >"$work/table.csv"
"$work/consumer/consumer" "$work/table.csv" "$work/graph.json"
if objdump -T "$work/consumer/consumer" | grep CAUSCALE_PRIVATE; then
  echo "FAILED: a public header leads to a symbol that is not public" >&2
  exit 1
fi
"$work/usr/bin/causcale" info
