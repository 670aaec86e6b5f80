#!/usr/bin/env bash
# tools/build_page.sh [--threads]: the page for browsers, in build/page. Needs what `tools/setup page` installs.
# --threads: also the module that uses all cores, which doubles the time.
set -euo pipefail
cd "$(dirname "$0")/.."
export NODE_PATH=/usr/share/nodejs # where Debian's Emscripten has its parts; node may come from elsewhere
if command -v ccache >/dev/null; then
  # A header that all files share is compiled once.
  export EM_COMPILER_WRAPPER=ccache CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
fi

build_module() { # FOLDER THREADS
  [ -f "$1/build.ninja" ] || emcmake cmake -G Ninja -S web/wasm -B "$1" -DCMAKE_BUILD_TYPE=Release \
    -DCAUSCALE_PAGE_THREADS="$2" >/dev/null
  cmake --build "$1" -j "${CAUSCALE_BUILD_JOBS:-2}"
}
build_module build/wasm OFF
folders=(build/wasm)
if [ "${1:-}" = --threads ]; then
  build_module build/wasm-threads ON
  folders+=(build/wasm-threads)
fi
node web/page/build.mjs build/page "${folders[@]}"
