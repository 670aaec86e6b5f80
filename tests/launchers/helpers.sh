# What the parts of the launcher tests share. Sourced by run.sh, which sets `program`, `folder` and `source_folder`.
failures=0
fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}
log() { echo "$*"; }
skip() {
  echo "SKIPPED: $*"
  skipped=$((skipped + 1))
}
skipped=0
seconds() { echo "$(($1 / 1000)).$(($1 / 100 % 10)) s"; }  # of milliseconds
clock() { echo $(($(date +%s%N) / 1000000)); }  # milliseconds since some moment

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# wait_until SECONDS COMMAND...: until it succeeds; false where it does not in that time.
wait_until() {
  local end=$(($(clock) + 1000 * $1))
  shift
  until "$@"; do
    [ "$(clock)" -lt "$end" ] || return 1
    sleep 0.1
  done
}

# configuration PROCESSES STEPS: prints the path of a configuration of the tiny model for the CPU whose joint batch is the
# same for 1, 2 and 4 processes.
configuration() {
  local path=$folder/config_$1_$2.json
  cat >"$path" <<JSON
{"extends": "$source_folder/configs/tiny_cpu.json",
 "stages": [{"name": "n 5", "steps": $2, "nodes": 5, "rows": 60, "tokens": $((2400 / $1))}],
 "checkpoint_minutes": ${checkpoint_minutes:-3}, "log_every": 1,
 "validation": {"every_minutes": null, "every_steps": 10, "settings": [{"nodes": 5, "edges": 5, "rows": 60, "count": 4}]}}
JSON
  echo "$path"
}

# train PROCESSES OUT STEPS [MORE]: the command of every process, in `train_line`.
train() {
  train_line=("$program" train --config "$(configuration "$1" "$3")" --out "$folder/$2" --device cpu --threads 1 --quiet "${@:4}")
}

# within SECONDS COMMAND...: its exit code, the output in $folder/said; what takes longer is killed (code 124). The command
# may be a function.
within() {
  local seconds=$1 process code=0
  shift
  "$@" >"$folder/said" 2>&1 &
  process=$!
  if ! wait_until "$seconds" has_ended $process; then
    kill_tree $process
    return 124
  fi
  wait $process || code=$?
  return $code
}
has_ended() { ! kill -0 "$1" 2>/dev/null || [ "$(cut -d ' ' -f 3 "/proc/$1/stat" 2>/dev/null)" = Z ]; }
kill_tree() {
  local child
  for child in $(pgrep -P "$1"); do kill_tree "$child"; done
  kill -KILL "$1" 2>/dev/null || true
}
# expect CODE COMMAND...: its exit code within three minutes.
expect() {
  local expected=$1 code=0
  shift
  within 180 "$@" || code=$?
  [ $code -eq "$expected" ] || {
    fail "exit code $code instead of $expected of: $*"
    tail -n 20 "$folder/said"
  }
}
said() { grep -q "$1" "$folder/said" || fail "'$1' is not in: $(head -n 5 "$folder/said")"; }

# same_weights OUT OTHER LIMIT WHAT: the weights differ by at most LIMIT of the largest one.
same_weights() {
  local difference
  difference=$(python3 "$here/weights.py" "$folder/$1/checkpoint.safetensors" "$folder/$2/checkpoint.safetensors" "$3" 2>&1 | tail -n 1; exit "${PIPESTATUS[0]}") ||
    fail "$4: $difference"
  log "  $4: $difference"
}

# processes_of OUT: the processes of a run, whoever started them, as lines of RANK PID.
processes_of() {
  local entry pid rank
  for entry in /proc/[0-9]*; do
    pid=${entry#/proc/}
    [ "$(readlink "$entry/exe" 2>/dev/null)" = "$program" ] || continue
    tr '\0' ' ' <"$entry/cmdline" 2>/dev/null | grep -q -- "--out $folder/$1 " || continue
    rank=$(tr '\0' '\n' <"$entry/environ" 2>/dev/null |
      sed -n 's/^\(RANK\|OMPI_COMM_WORLD_RANK\|SLURM_PROCID\)=//p' | head -n 1)
    echo "$rank $pid"
  done
}
no_process_of() { [ -z "$(processes_of "$1")" ]; }
# steps_of OUT: how many steps its log has.
steps_of() { cat "$folder/$1/metrics.jsonl" 2>/dev/null | grep -c '"loss"'; }
has_steps() { [ "$(steps_of "$1")" -ge "$2" ]; }
last_step() { sed -n 's/.*"step":\([0-9]*\).*/\1/p' "$folder/$1/metrics.jsonl" | tail -n 1; }

# survives_a_death WHAT OUT RANK LAUNCHER...: starts three processes by the launcher, kills one, wants all to end within
# 30 s and the run to go on with two. LAUNCHER is a function: launcher PROCESSES OUT STEPS [MORE].
survives_a_death() {
  local what=$1 out=$2 rank=$3 launcher=$4 victim begin code=0 done_steps
  $launcher 3 "$out" 100000 >"$folder/said" 2>&1 &
  local started=$!
  if ! wait_until 90 has_steps "$out" 3; then
    fail "$what: no steps; $(head -n 5 "$folder/said")"
    return
  fi
  victim=$(processes_of "$out" | sed -n "s/^$rank //p")
  begin=$(clock)
  kill -KILL "$victim" || fail "$what: process $rank was not found"
  wait_until 30 no_process_of "$out" || fail "$what: processes are left 30 s after the death of process $rank"
  local took=$(($(clock) - begin))
  wait $started || code=$?
  [ $code -ne 0 ] || fail "$what: exit code 0 although process $rank was killed"
  if [ "${says:-}" ]; then said "$says"; fi
  done_steps=$(last_step "$out")
  expect 0 $launcher 2 "$out" $((done_steps + 3)) --resume
  [ "$(last_step "$out")" -eq $((done_steps + 3)) ] || fail "$what: the run did not go on to step $((done_steps + 3))"
  log "  $what: process $rank of 3 killed after step $done_steps, all ended after $(seconds $took), went on with 2 processes"
}
