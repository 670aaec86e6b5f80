#!/usr/bin/env bash
# Opens the page in a headless Chromium, delivered by the program: run.sh CAUSCALE PAGE_FOLDER
# Leaves with 77, which CTest counts as skipped, when something it needs is not there.
set -euo pipefail
program=$(realpath "$1")
folder=$(realpath -m "$2") # the tests run in another folder
here=$(cd "$(dirname "$0")/.." && pwd)

skip() {
  echo "SKIPPED: $1"
  exit 77
}
[ -f "$folder/index.html" ] || skip "the page has not been built (make page)"
# It is compared with the program word for word: both have to come from the same sources.
newer=$(cd "$here/.." && find src include web/page web/wasm -type f -newer "$folder/manifest.json" -print -quit)
[ -z "$newer" ] || skip "the page is older than $newer (make page)"
command -v node >/dev/null || skip "node is not installed"
[ -d "$here/node_modules/puppeteer-core" ] || skip "run 'npm ci' in web/ to fetch the browser driver"
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v google-chrome || true)}
[ -n "$CHROMIUM" ] || skip "Chromium is not installed (apt-get install chromium, or set CHROMIUM)"
cd "$here"
CHROMIUM=$CHROMIUM CAUSCALE=$program PAGE=$folder node --test --test-reporter=spec test_page/*.test.mjs
