#!/usr/bin/env bash
# run.sh PYTHON FILE: one file of tests; skips itself where pytest, numpy or what the whole file is about is missing.
set -euo pipefail
python=$1
if ! "$python" -c 'import pytest, numpy, pandas, networkx' 2>/dev/null; then
  echo "skipped: $python lacks pytest, numpy, pandas or networkx"
  exit 77
fi
cd "$(dirname "$0")"
status=0
"$python" -B -m pytest -q -rs -p no:cacheprovider "$2" || status=$?
[ $status -eq 5 ] && exit 77  # no test in it: the file skipped itself
exit $status
