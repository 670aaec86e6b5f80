#!/usr/bin/env bash
# tools/build_page.sh: the page for browsers, in build/page. Needs what `tools/setup page` installs.
set -euo pipefail
cd "$(dirname "$0")/.."
export NODE_PATH=/usr/share/nodejs # where Debian's Emscripten has its parts; node may come from elsewhere
if command -v ccache >/dev/null; then
  # A header that all files share is compiled once; checkouts in different folders share what was compiled.
  export EM_COMPILER_WRAPPER=ccache CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
  export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
fi
[ -f build/wasm/build.ninja ] || emcmake cmake -G Ninja -S web/wasm -B build/wasm -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build build/wasm -j "${CAUSCALE_BUILD_JOBS:-2}"
(cd web && npx tsc --noEmit)
node web/page/build.mjs build/page build/wasm
