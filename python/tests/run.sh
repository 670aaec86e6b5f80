#!/usr/bin/env bash
# run.sh PYTHON FILE: one file of tests; skips itself where pytest or numpy is missing.
set -euo pipefail
python=$1
if ! "$python" -c 'import pytest, numpy, pandas, networkx' 2>/dev/null; then
  echo "skipped: $python lacks pytest, numpy, pandas or networkx"
  exit 77
fi
cd "$(dirname "$0")"
exec "$python" -B -m pytest -q -p no:cacheprovider "$2"
