#!/usr/bin/env bash
# run.sh FOLDER [TEST ARGUMENT ...]: builds the tests of the processor's core for 64-bit ARM in FOLDER and runs them
# in an emulator. Exit code 77, with a message, where a tool is missing (tools/setup aarch64 installs them).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=$1
shift

for tool in aarch64-linux-gnu-g++ qemu-aarch64 cmake; do
  if ! command -v "$tool" >/dev/null; then
    echo "skipped: no $tool (Debian: g++-aarch64-linux-gnu, qemu-user)"
    exit 77
  fi
done
if [ ! -e /usr/src/googletest/googletest/src/gtest-all.cc ]; then
  echo "skipped: no source of GoogleTest in /usr/src/googletest (Debian: googletest)"
  exit 77
fi

mkdir -p "$folder/reference"
(cd "$folder/reference" && cmake -E tar xf "$root/tests/golden/reference.zip")
launcher=$(command -v ccache || true)
cmake -S "$here" -B "$folder" --toolchain "$root/cmake/aarch64-linux-gnu.cmake" \
  -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher" >"$folder/configure.log" || { cat "$folder/configure.log"; exit 1; }
cmake --build "$folder" -j "${CAUSCALE_BUILD_JOBS:-2}"
# Plain C++ takes as long as NEON in the emulator, and other tests have run it.
[ $# -gt 0 ] || set -- --gtest_filter=-*CoreGolden*_base
CAUSCALE_REFERENCE=$folder/reference qemu-aarch64 -L /usr/aarch64-linux-gnu "$folder/test_core" "$@"
