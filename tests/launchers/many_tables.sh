#!/usr/bin/env bash
# Thousands of small tables that several processes share, of which some are killed again and again while others take their
# place: every table has one result, nothing is done twice, and what the killed ones held is taken over.
#   many_tables.sh PROGRAM [TABLES] [WORKERS] [KILLS]     10000, 3 and 12 unless told
set -uo pipefail
program=$(realpath "$1")
tables=${2:-10000}
workers=${3:-3}
kills=${4:-12}
here=$(cd "$(dirname "$0")" && pwd)
source_folder=$(cd "$here/../.." && pwd)
folder=$(mktemp -d)
running=()
trap 'for process in "${running[@]}"; do kill -KILL "$process" 2>/dev/null; done; rm -rf "$folder"' EXIT
source "$here/helpers.sh"
export OMP_NUM_THREADS=1
started=0

# One more worker; its number among all that ever ran names its log.
start_worker() {
  (
    cd "$folder" || exit 1
    shopt -s nullglob
    exec "$program" discover sets/*/data.csv --threads 1 --evidence off --views 1 --format csv --out-dir out
  ) >"$folder/log.$started" 2>&1 &
  running+=($!)
  started=$((started + 1))
}
records() { find "$folder/out/.done" -name '*.json' 2>/dev/null | wc -l; }
has_records() { [ "$(records)" -ge "$1" ]; }

begin=$(clock)
"$program" simulate synthetic -n 3 -m 30 --seed 8 -q --interventions none --count "$tables" -o "$folder/sets" || exit 1
log "$tables tables of 3 x 30 made after $(seconds $(($(clock) - begin)))"
begin=$(clock)
for ((k = 0; k < workers; ++k)); do start_worker; done
killed=0
for ((k = 1; k <= kills; ++k)); do
  wait_until 7200 has_records $((tables * k / (kills + 1))) || fail "only $(records) tables are done"
  victim=$((RANDOM % ${#running[@]}))
  if kill -KILL "${running[$victim]}" 2>/dev/null; then killed=$((killed + 1)); fi
  wait "${running[$victim]}" 2>/dev/null
  unset "running[$victim]"
  running=("${running[@]}")
  start_worker
done
for process in "${running[@]}"; do
  code=0
  wait "$process" || code=$?
  [ $code -eq 0 ] || fail "a worker ended with code $code: $(tail -n 1 "$folder"/log.* | tail -n 1)"
done
running=()
took=$(($(clock) - begin))

results=$(find "$folder/out" -maxdepth 1 -name '*_data.csv' | wc -l)
[ "$results" -eq "$tables" ] || fail "$results results of $tables tables"
[ "$(records)" -eq "$tables" ] || fail "$(records) records of $tables tables"
[ -z "$(ls "$folder/out/.claims")" ] || fail "claims are left: $(ls "$folder/out/.claims" | head -n 3)"
grep -q ",failed," "$folder/out/summary.csv" && fail "a table failed: $(grep -m 1 ",failed," "$folder/out/summary.csv")"
# What a worker did itself it says without "in another process"; one that was killed may not have come to say it.
own=$(cat "$folder"/log.* | grep -c '_data: done, ')
twice=$(cat "$folder"/log.* | sed -n 's/.*\] \(.*_data\): done, .*/\1/p' | sort | uniq -d)
[ -z "$twice" ] || fail "done twice: $(echo "$twice" | head -n 3 | tr '\n' ' ')"
unsaid=$((tables - own))
[ "$unsaid" -ge 0 ] && [ "$unsaid" -le "$killed" ] || fail "$own tables were reported as done, of $tables, with $killed kills"
again=$(cd "$folder" && "$program" discover sets/*/data.csv --threads 1 --evidence off --views 1 --format csv --out-dir out 2>/dev/null)
case $again in
  *"0 done, $tables skipped as done before, 0 failed"*) ;;
  *) fail "a later run finds something to do: $again" ;;
esac
log "$workers workers at a time, $started in all, $killed killed: $results results after $(seconds $took), none done twice, $unsaid done by a worker that was killed before it said so"
if [ $failures -gt 0 ]; then
  log "many tables: $failures failures"
  exit 1
fi
log "many tables: every table exactly once"
