#!/usr/bin/env bash
# Runs the fuzz targets with libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer (clang), one after the
# other, and prints a line for each: seconds on the clock and of processor time, executions, findings.
#   tools/fuzz.sh SECONDS [TARGET...]     e.g. tools/fuzz.sh 60, or tools/fuzz.sh 3600 npz h5ad_bytes
# Inputs that find something are kept in build/fuzz/findings; put them, small, into fuzz/corpus/TARGET when the fault
# is mended. Inputs that reach new code are kept in build/fuzz/corpus and used by the next run.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -lt 1 ] || ! [[ $1 =~ ^[0-9]+$ ]]; then
  sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
seconds=$1
shift
build=build/fuzz
if [ ! -f $build/build.ninja ]; then
  CC=clang CXX=clang++ cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCAUSCALE_WITH_TORCH=OFF \
    -DCAUSCALE_BENCH=OFF -DCAUSCALE_LIBFUZZER=ON -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1" \
    -DCMAKE_CXX_FLAGS="-fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all -fno-omit-frame-pointer" \
    >/dev/null
fi
targets=("$@")
wanted=("${targets[@]/#/fuzz_}")
[ ${#targets[@]} -gt 0 ] || wanted=(fuzz_targets)
if ! cmake --build $build --target "${wanted[@]}" >$build/build.log; then
  grep -A 20 -m 5 -E '^FAILED|error' $build/build.log >&2
  exit 1
fi
if [ ${#targets[@]} -eq 0 ]; then
  for source in fuzz/*_fuzz.cpp; do
    name=$(basename "$source" _fuzz.cpp)
    # One of them needs headers of libtorch.
    [ ! -x "$build/bin/fuzz_$name" ] || targets+=("$name")
  done
fi
mkdir -p $build/findings
found_any=0
# Sets cpu to the processor time, in seconds, of all that ended so far; a subshell would see its own children only.
processor_time() {
  times >$build/findings/times
  cpu=$(awk 'function s(t, p) { split(t, p, /[ms]/); return p[1] * 60 + p[2] } END { printf "%d", s($1) + s($2) }' $build/findings/times)
}
printf '%-16s %8s %8s %12s %9s\n' target seconds 'cpu s' executions findings
for target in "${targets[@]}"; do
  mkdir -p "$build/corpus/$target" "$build/findings/$target"
  seeds=()
  [ -d "fuzz/corpus/$target" ] && seeds=("fuzz/corpus/$target")
  before=$(find "$build/findings/$target" -type f | wc -l)
  begin=$(date +%s)
  processor_time
  cpu_before=$cpu
  "$build/bin/fuzz_$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$build/findings/$target/" "$build/corpus/$target" "${seeds[@]}" >"$build/findings/$target.log" 2>&1 || true
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/findings/$target.log" | tail -1)
  findings=$(($(find "$build/findings/$target" -type f | wc -l) - before))
  [ "$findings" -eq 0 ] || found_any=1
  processor_time
  printf '%-16s %8d %8d %12s %9d\n' "$target" $(($(date +%s) - begin)) $((cpu - cpu_before)) "${executions:-?}" "$findings"
done
exit $found_any
