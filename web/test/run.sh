#!/usr/bin/env bash
# Makes the sample pages and opens them in a headless Chromium: run.sh WRITE_SAMPLES FOLDER
# Leaves with 77, which CTest counts as skipped, when something it needs is not installed.
set -euo pipefail
write_samples=$1
folder=$2
here=$(cd "$(dirname "$0")/.." && pwd)

skip() {
  echo "SKIPPED: $1"
  exit 77
}
command -v node >/dev/null || skip "node is not installed"
[ -d "$here/node_modules/puppeteer-core" ] || skip "run 'npm ci' in web/ to fetch the browser driver"
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v google-chrome || true)}
[ -n "$CHROMIUM" ] || skip "Chromium is not installed (apt-get install chromium, or set CHROMIUM)"

mkdir -p "$folder"
"$write_samples" "$folder"
cd "$here"
CHROMIUM=$CHROMIUM SAMPLES=$folder node --test --test-reporter=spec test/
