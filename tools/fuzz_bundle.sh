#!/usr/bin/env bash
# Packs the fuzz targets, built for libFuzzer with AddressSanitizer and UndefinedBehaviorSanitizer, with their corpora
# into one archive for a machine that has many processors and no compiler: `fuzz/bundled.sh` in it says how to run them.
# Needs there: glibc 2.36 or newer, zlib, xz, libhdf5_serial.so.103 (for the two targets that read .h5ad).
#   tools/fuzz_bundle.sh ARCHIVE.tar.xz
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -ne 1 ]; then
  sed -n '2,5s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
archive=$(realpath -m "$1")
build=build/fuzz_bundle
# One shared library of readers and one of the sanitizers' run time, so that two dozen programs stay small.
runtime=$(dirname "$(clang -print-file-name=libclang_rt.asan-x86_64.so)")
sanitizers="-fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all -fno-omit-frame-pointer -shared-libasan"
CC=clang CXX=clang++ cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCAUSCALE_WITH_TORCH=OFF \
  -DCAUSCALE_BENCH=OFF -DCAUSCALE_LIBFUZZER=ON -DCAUSCALE_FUZZ_SHARED=ON -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g0" \
  -DCMAKE_CXX_FLAGS="$sanitizers" -DCMAKE_SHARED_LINKER_FLAGS=-Wl,--as-needed \
  -DCMAKE_EXE_LINKER_FLAGS=-Wl,--as-needed \
  -DCMAKE_BUILD_RPATH="$runtime;\$ORIGIN/../lib;\$ORIGIN/.." >/dev/null
cmake --build $build --target fuzz_targets

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder"/fuzz/{bin,lib/causcale}
cp $build/bin/fuzz_* "$folder/fuzz/bin"
cp $build/lib/libfuzz_readers.so "$runtime/libclang_rt.asan-x86_64.so" "$folder/fuzz/lib"
if [ -f $build/lib/causcale/causcale-read-h5ad ]; then
  cp $build/lib/causcale/causcale-read-h5ad "$folder/fuzz/lib/causcale"
fi
strip --strip-unneeded "$folder"/fuzz/bin/* "$folder"/fuzz/lib/*.so "$folder"/fuzz/lib/causcale/*
cp -r fuzz/corpus "$folder/fuzz/corpus"
cp fuzz/bundled.sh "$folder/fuzz/go.sh"
tar -C "$folder" --sort=name --owner=0 --group=0 --numeric-owner -cf - fuzz | xz -9e --threads=1 >"$archive"
ls -l "$archive"
