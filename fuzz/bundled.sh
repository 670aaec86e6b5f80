#!/usr/bin/env bash
# Runs every fuzz target of this archive on JOBS processes at the lowest priority for about SECONDS seconds and writes
# OUT/log.txt (a line for each target) and, where there is something to hand on, OUT/findings.tar.xz (less than 8 MB):
# inputs that ended a target, the end of its log, and new inputs that reach new code.
#   ./go.sh SECONDS JOBS OUT [TARGET...]
# Each process is held to 2 GiB and each input to 20 s.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [ $# -lt 3 ]; then
  sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
seconds=$1 jobs=$2 out=$3
shift 3
mkdir -p "$out"
out=$(cd "$out" && pwd)
begin=$(date +%s)
work=$(mktemp -d "${TMPDIR:-/tmp}/fuzz.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{tmp,corpus,findings,logs,lines}
# Files that the targets write are small; the memory file system spares the disk.
export TMPDIR=$work/tmp
if [ -w /dev/shm ] && TMPDIR=$(mktemp -d /dev/shm/fuzz.XXXXXX); then
  trap 'rm -rf "$work" "$TMPDIR"' EXIT
else
  TMPDIR=$work/tmp
fi
export LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export ASAN_OPTIONS=detect_leaks=0:abort_on_error=0:allocator_may_return_null=0
# Older sanitizers do not start where the kernel spreads addresses widely.
still=(nice -n 19)
if setarch -R true 2>/dev/null; then still+=(setarch -R); fi
# The sanitizers' run time has to come before the C++ library, which libFuzzer names first.
still+=(env "LD_PRELOAD=$here/lib/libclang_rt.asan-x86_64.so")

targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  for program in "$here"/bin/fuzz_*; do targets+=("$(basename "$program" | sed 's/^fuzz_//')"); done
fi
usable=()
{
  echo "fuzzing: $seconds s on $jobs processes, $(uname -sr), $(nproc) processors"
  for target in "${targets[@]}"; do
    mkdir -p "$work/corpus/$target" "$work/findings/$target" "$here/corpus/$target"
    if timeout 120 "${still[@]}" "$here/bin/fuzz_$target" -runs=1 -rss_limit_mb=2048 "$work/corpus/$target" \
      >"$work/logs/start.$target" 2>&1; then
      usable+=("$target")
    else
      echo "$target does not start:"
      tail -3 "$work/logs/start.$target" | cut -c 1-300
    fi
  done
} >"$out/log.txt"
[ ${#usable[@]} -gt 0 ] || exit 1

# One stretch of one target: again after each finding, until the time is over.
stretch() {
  local target=$1 length=$2 number=$3 end=$(($(date +%s) + $2)) left log
  local TIMEFORMAT='%U %S'
  log=$work/logs/$target.$number
  while left=$((end - $(date +%s))) && [ $left -gt 1 ]; do
    [ "$(find "$work/findings/$target" -type f | wc -l)" -lt 12 ] || break
    { time timeout -k 5 $((left + 60)) "${still[@]}" "$here/bin/fuzz_$target" -max_total_time=$left -timeout=20 \
      -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$work/findings/$target/" "$work/corpus/$target" \
      "$here/corpus/$target" >"$log" 2>&1; } 2>"$log.time"
    tail -1 "$log.time" >>"$work/lines/$target.time"
    sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1 >>"$work/lines/$target.count"
    sed -n 's/.*cov: \([0-9]*\) ft: \([0-9]*\).*/\1 \2/p' "$log" | tail -1 >>"$work/lines/$target.cover"
    if grep -q -E 'ERROR|SUMMARY|runtime error' "$log"; then
      grep -E -A 25 'ERROR|runtime error' "$log" | cut -c 1-200 | head -40 >"$work/findings/$target.$number.$RANDOM.log"
    fi
  done
}

# Targets take turns in short stretches: all get the same time, and a slow one holds up nobody.
share=$((seconds * 85 / 100))
rounds=$(((${#usable[@]} * 2 + jobs - 1) / jobs))
while [ $((share / rounds)) -lt 10 ] && [ $rounds -gt 1 ]; do rounds=$((rounds - 1)); done
length=$((share / rounds))
worker() {
  local job=$1 round
  for ((round = 0; round < rounds; ++round)); do
    number=$((round * jobs + job))
    stretch "${usable[$((number % ${#usable[@]}))]}" $length $number
  done
}
for ((job = 0; job < jobs; ++job)); do worker $job & done
wait

# New inputs, as few as reach what all reach, where that takes no longer than what is left of the time.
merge() {
  local target=$1 left=$((seconds - ($(date +%s) - begin)))
  mkdir -p "$work/new/$target" "$work/merged/$target"
  [ $left -gt 5 ] || left=5
  if timeout $left "${still[@]}" "$here/bin/fuzz_$target" -merge=1 -rss_limit_mb=2048 -timeout=20 "$work/merged/$target" \
    "$here/corpus/$target" "$work/corpus/$target" >/dev/null 2>&1; then
    for file in "$work/merged/$target"/*; do
      [ -f "$file" ] && [ -f "$work/corpus/$target/$(basename "$file")" ] && cp "$file" "$work/new/$target"
    done
  else
    find "$work/corpus/$target" -type f -size -9 -printf '%s %p\n' | sort -n | head -200 | cut -d ' ' -f 2- |
      xargs -r cp -t "$work/new/$target"
  fi
}
printf '%s\n' "${usable[@]}" >"$work/targets"
export here work seconds begin
for ((job = 0; job < jobs; ++job)); do
  for ((at = job; at < ${#usable[@]}; at += jobs)); do merge "${usable[$at]}"; done &
done
wait

sum() { awk '{ s += $1 + $2 } END { printf "%.0f", s }' "$1" 2>/dev/null || echo 0; }
{
  printf '%-16s %8s %12s %9s %8s %8s\n' target 'cpu s' executions findings cover new
  for target in "${usable[@]}"; do
    printf '%-16s %8s %12s %9d %8s %8d\n' "$target" "$(sum "$work/lines/$target.time")" "$(sum "$work/lines/$target.count")" \
      "$(find "$work/findings/$target" -type f | wc -l)" \
      "$(sort -n "$work/lines/$target.cover" 2>/dev/null | tail -1 | cut -d ' ' -f 1)" \
      "$(find "$work/new/$target" -type f 2>/dev/null | wc -l)"
  done
  cat "$work"/lines/*.time | awk '{ s += $1 + $2 } END { printf "processor time of all: %.0f s\n", s }'
  echo "on the clock: $(($(date +%s) - begin)) s"
} >>"$out/log.txt"

# Findings first; new inputs as far as they fit.
mkdir -p "$work/pack/findings" "$work/pack/new"
for target in "${usable[@]}"; do
  mkdir -p "$work/pack/findings/$target"
  find "$work/findings/$target" -type f -size -600k -printf '%s %p\n' | sort -n | head -12 | cut -d ' ' -f 2- |
    xargs -r cp -t "$work/pack/findings/$target"
  ls "$work/findings/$target".*.log 2>/dev/null | head -6 | xargs -r cp -t "$work/pack/findings"
done
cp -r "$work/new/." "$work/pack/new"
for limit in 400 100 20 0; do
  for folder in "$work"/pack/new/*/; do
    ls -S "$folder" 2>/dev/null | head -n -$limit | sed "s|^|$folder|" | xargs -r -d '\n' rm -f
  done
  find "$work/pack" -type d -empty -delete
  [ -d "$work/pack" ] || exit 0
  tar -C "$work/pack" -cf - . | nice -n 19 xz -6 >"$out/findings.tar.xz"
  [ "$(stat -c %s "$out/findings.tar.xz")" -gt 8000000 ] || break
done
exit 0
