#!/usr/bin/env bash
# What a hard life does to the files of the program: kills at random moments, full disks, folders that cannot be
# written, two writers on one output, damaged models and checkpoints. Under its name a file is at every moment whole:
# what was there before, or what an undisturbed run writes.
#   run.sh PROGRAM files|stored|serve|training [ROUNDS] [SEED]
# files: discover, simulate, models that are damaged; stored: what works on results, and models install.
# ROUNDS is the number of kills of each kind (5 unless told; hundreds for a long run). `training` leaves with 77,
# which CTest counts as skipped, where the program has no training library, `serve` where there is no curl.
set -euo pipefail
program=$(realpath "$1")
part=$2
rounds=${3:-5}
seed=${4:-1}
RANDOM=$seed
here=$(cd "$(dirname "$0")" && pwd)
models=$(cd "$here/../.." && pwd)/models
folder=$(mktemp -d)
chmod 755 "$folder"
mounted=
server=
trap '[ -z "$server" ] || kill -KILL "$server"; [ -z "$mounted" ] || umount "$mounted"; rm -rf "$folder"' EXIT
cd "$folder"
source "$here/helpers.sh"

killed_discover() {
  "$program" discover table/data.csv --method pc -q -o whole.csv --matrix whole.npy
  local took kills=0 finished=0 old=0
  took=$(time_of "$program" discover table/data.csv --method pc -q -o out.csv)
  for ((k = 0; k < rounds; ++k)); do
    echo old >edges.csv
    echo old >matrix.npy
    kill_during $((took + took / 4)) "$program" discover table/data.csv --method pc -q -o edges.csv --matrix matrix.npy
    [ $ended -eq 0 ] && kills=$((kills + 1)) || finished=$((finished + 1))
    for pair in edges.csv:whole.csv matrix.npy:whole.npy; do
      judge_killed discover "${pair%:*}" "${pair#*:}"
    done
  done
  rm -f ./*.part-*
  log "discover: $kills kills, $finished ran to their end, $old of $((2 * rounds)) files as before, the others whole"
}

killed_out_dir() {
  local took kills=0 rests=0
  for k in 1 2 3 4; do "$program" simulate synthetic --nodes 4 --rows 60 --seed "$k" -q -o "many/$k"; done
  local tables=(many/1/data.csv many/2/data.csv many/3/data.csv many/4/data.csv)
  for k in 1 2 3 4; do cp "many/$k/data.csv" "many/t$k.csv"; done
  tables=(many/t1.csv many/t2.csv many/t3.csv many/t4.csv)
  local run=("$program" discover "${tables[@]}" --format csv -q --model synthetic)
  took=$(time_of env CAUSCALE_MODELS="$models" "${run[@]}" --out-dir whole_many)
  for ((k = 0; k < (rounds + 3) / 4; ++k)); do
    rm -rf results
    kill_during "$took" env CAUSCALE_MODELS="$models" "${run[@]}" --out-dir results
    [ $ended -eq 0 ] && kills=$((kills + 1))
    mkdir -p results
    rests=$((rests + $(find results -name 't?.csv' | wc -l)))
    CAUSCALE_MODELS=$models expect_code 0 "${run[@]}" --out-dir results
    for table in "${tables[@]}"; do
      name=$(basename "$table" .csv)
      while IFS= read -r file; do
        cmp -s "whole_many/$file" "results/$file" || fail "--out-dir: $file differs after a kill and a second run"
      done < <(cd whole_many && find . -name "$name*.csv")
    done
    [ "$(find whole_many -name '*.csv' | wc -l)" -eq "$(find results -name '*.csv' | wc -l)" ] ||
      fail "--out-dir: other files after a kill and a second run"
  done
  log "discover --out-dir: $kills kills, $rests tables were done by then, the rest came with a second run, all as undisturbed"
}

killed_simulate() {
  local took kills=0 whole=0
  local run=("$program" simulate synthetic --nodes 20 --rows 3000 --seed 3 -q)
  took=$(time_of "${run[@]}" -o whole_simulation)
  for ((k = 0; k < rounds; ++k)); do
    rm -rf simulation
    kill_during "$took" "${run[@]}" -o simulation
    [ $ended -eq 0 ] && kills=$((kills + 1))
    while IFS= read -r file; do
      cmp -s "whole_simulation/$file" "simulation/$file" || fail "simulate: $file is not whole"
      whole=$((whole + 1))
    done < <(mkdir -p simulation && cd simulation && find . -type f ! -name '*.part-*' ! -name manifest.json)
    rm -rf simulation
  done
  log "simulate: $kills kills, $whole files were there, all whole"
}

# On a full disk: one clear line, what was there stays, nothing is left behind.
full_disk() {
  local code=0
  if mount_small; then
    echo old >small/edges.csv
    fill_small
    expect_code 1 "$program" discover table/data.csv --method pc -q -o small/edges.csv
    expect_said "edges.csv: .*No space left"
    [ "$(cat small/edges.csv)" = old ] || fail "full disk: the old file is gone"
    expect_no_part small
    expect_code 1 "$program" simulate synthetic --nodes 20 --rows 3000 -q -o small/simulation
    expect_said "No space left"
    expect_no_part small
    unmount_small
    log "full disk (tmpfs of 64 KiB): refused with one line, old files kept, nothing left behind"
  else
    log "full disk: no tmpfs can be mounted here"
  fi
  # A limit on the size of files is answered like a full disk where its signal is ignored.
  echo old >limited.csv
  (
    trap '' XFSZ
    ulimit -f 8
    exec "$program" simulate synthetic --nodes 20 --rows 3000 -q -o limited
  ) >said 2>&1 || code=$?
  [ $code -eq 1 ] || fail "file size limit: exit code $code ($(head -1 said))"
  expect_said "limited/data.csv: .*File too large"
  expect_no_part .
  log "limit on the size of files: refused with one line, nothing left behind"
}

cannot_write() {
  expect_code 1 "$program" discover table/data.csv --method pc -q -o /proc/edges.csv
  expect_said "/proc/edges.csv: cannot write"
  echo file >plain
  expect_code 1 "$program" discover table/data.csv --method pc -q -o plain/edges.csv
  expect_said "plain/edges.csv: cannot write"
  mkdir -p taken/edges.csv
  expect_code 1 "$program" discover table/data.csv --method pc -q -o taken/edges.csv
  expect_said "taken/edges.csv: "
  expect_no_part taken
  become_nobody
  if [ $read_only -eq 0 ]; then
    log "folders that cannot be written: refused with one line (no read-only folder for this user)"
  else
    expect_code 1 "${as[@]}" "$program" discover table/data.csv --method pc -q -o closed/edges.csv
    expect_said "closed/edges.csv: cannot write: Permission denied"
    expect_code 1 "${as[@]}" "$program" simulate synthetic -q -o closed/simulation
    expect_said "closed/simulation.*Permission denied"
    log "folders that cannot be written: refused with one line"
  fi
  chmod 755 closed
}

two_writers() {
  local first second a b
  "$program" discover table/data.csv --method pc -q -o a.csv
  "$program" discover table/data.csv --method corr -q -o b.csv
  for ((k = 0; k < (rounds + 1) / 2; ++k)); do
    "$program" discover table/data.csv --method pc -q -o both.csv &
    first=$!
    "$program" discover table/data.csv --method corr -q -o both.csv &
    second=$!
    a=0 b=0
    wait $first || a=$?
    wait $second || b=$?
    [ $a -eq 0 ] && [ $b -eq 0 ] || fail "two writers: exit codes $a and $b"
    cmp -s both.csv a.csv || cmp -s both.csv b.csv || fail "two writers: the file is of neither"
  done
  expect_no_part .
  local run=("$program" discover many/t1.csv many/t2.csv many/t3.csv many/t4.csv --format csv -q --model synthetic)
  rm -rf shared
  CAUSCALE_MODELS=$models "${run[@]}" --out-dir shared >/dev/null 2>&1 &
  first=$!
  CAUSCALE_MODELS=$models expect_code 0 "${run[@]}" --out-dir shared
  wait $first || fail "two writers of one --out-dir: exit code $?"
  while IFS= read -r file; do
    cmp -s "whole_many/$file" "shared/$file" || fail "two writers of one --out-dir: $file differs"
  done < <(cd whole_many && find . -name 't?.csv')
  expect_no_part shared
  log "two writers on one file and one --out-dir: the files are whole"
}

damaged_models() {
  local size header refused=0 used=0 code place
  mkdir -p installed alone
  size=$(stat -c %s "$models/synthetic.safetensors")
  header=$(od -An -tu8 -N 8 "$models/synthetic.safetensors")
  for ((k = 0; k < (rounds + 1) / 2; ++k)); do
    cp "$models/synthetic.safetensors" "$models/SHA256SUMS" installed
    flip installed/synthetic.safetensors "$(random_below "$size")"
    CAUSCALE_MODELS=$folder/installed expect_code 1 "$program" discover many/t1.csv -q --model synthetic
    expect_said "synthetic.safetensors is damaged: its SHA-256 is"
  done
  for ((k = 0; k < rounds; ++k)); do
    head -c "$(random_below "$size")" "$models/synthetic.safetensors" >alone/cut.safetensors
    expect_code 1 "$program" discover many/t1.csv -q --model alone/cut.safetensors
    expect_said "cut.safetensors"
  done
  # Without a list of hashes a header that still makes sense is believed; it must not end in a fault.
  for ((k = 0; k < rounds; ++k)); do
    cp "$models/synthetic.safetensors" alone/header.safetensors
    place=$(random_below $((header + 8)))
    flip alone/header.safetensors "$place"
    code=0
    timeout 60 "$program" models --json --model alone/header.safetensors >said 2>&1 || code=$?
    code=0
    timeout 60 "$program" discover many/t1.csv -q --model alone/header.safetensors >said 2>&1 || code=$?
    case $code in
      0) used=$((used + 1)) ;;
      1) refused=$((refused + 1)) ;;
      *) fail "one bit of the header at $place: exit code $code ($(head -1 said))" ;;
    esac
  done
  log "models with a bit flipped beside their list: all refused; cut off: all refused; header changed: $refused refused, $used used"
}

# --- training -----------------------------------------------------------------------------------------------------
training() {
  cat >config.json <<'JSON'
{"model": {"blocks": 2, "embed_dim": 16, "heads": 4, "ffn_dim": 32}, "schedule": {"warmup_steps": 2},
 "checkpoint_minutes": 0.001, "log_every": 1, "data": {"tokens": 2000},
 "stages": [{"steps": 40, "nodes": 5, "rows": 40}],
 "validation": {"settings": [{"nodes": 5, "edges": 5, "rows": 40, "count": 2}]}}
JSON
  local run=("$program" train --config config.json --device cpu --threads 1 -q --out) code=0 took kills=0
  "${run[@]}" whole_run >said 2>&1 || code=$?
  # A library that is there and cannot be opened is a fault.
  if [ $code -ne 0 ] && grep "libcauscale_train\|training library" said | grep -q -v "undefined symbol\|version"; then
    echo "SKIPPED: the program has no training library: $(head -1 said)"
    exit 77
  fi
  [ $code -eq 0 ] || {
    fail "training: exit code $code ($(head -1 said))"
    return
  }
  took=$(time_of "${run[@]}" timed_run)
  for ((k = 0; k < rounds; ++k)); do
    rm -rf killed_run
    kill_during "$took" "${run[@]}" killed_run
    [ $ended -eq 0 ] && kills=$((kills + 1))
    if [ -e killed_run/checkpoint.safetensors ]; then
      expect_code 0 "${run[@]}" killed_run --resume
    else
      rm -rf killed_run
      expect_code 0 "${run[@]}" killed_run
    fi
    # The files hold times; the answers of the models must be the same.
    for which in whole_run killed_run; do
      "$program" discover table/data.csv -q --all-pairs --model $which/model.safetensors -o $which.csv
    done
    cmp -s whole_run.csv killed_run.csv || fail "training: a run that was killed and resumed gives another model"
  done
  log "training: $kills kills, resumed to the same model"

  # Two that go on with the same run: whatever they leave is a sound state.
  rm -rf two_run
  "${run[@]}" two_run --time-budget 2s >/dev/null 2>&1 || true
  "${run[@]}" two_run --resume >/dev/null 2>&1 &
  local first=$!
  "${run[@]}" two_run --resume >/dev/null 2>&1 || true
  wait $first || true
  expect_code 0 "${run[@]}" two_run --resume
  log "training: two writers leave a state that can be resumed"

  local size refused=0
  size=$(stat -c %s whole_run/checkpoint.safetensors)
  for ((k = 0; k < rounds; ++k)); do
    rm -rf bad_run
    cp -r whole_run bad_run
    if ((k % 2)); then
      flip bad_run/checkpoint.safetensors "$(random_below "$size")"
    else
      head -c "$(random_below "$size")" whole_run/checkpoint.safetensors >bad_run/checkpoint.safetensors
    fi
    expect_code 1 "${run[@]}" bad_run --resume
    expect_said "checkpoint.safetensors"
    refused=$((refused + 1))
  done
  # The state before it is a sound one.
  if [ -e whole_run/checkpoint.safetensors.previous ]; then
    rm -rf bad_run
    cp -r whole_run bad_run
    mv bad_run/checkpoint.safetensors.previous bad_run/checkpoint.safetensors
    expect_code 0 "${run[@]}" bad_run --resume
  else
    fail "training: no state before the last is kept"
  fi
  log "training: $refused damaged checkpoints, all refused; the one before is sound"
}

log "seed $seed, $rounds rounds"
"$program" simulate synthetic --nodes 12 --rows 300 --seed 2 -q -o table
case $part in
  files)
    killed_discover
    killed_out_dir
    killed_simulate
    full_disk
    cannot_write
    two_writers
    damaged_models
    ;;
  stored)
    source "$here/stored.sh"
    make_results
    killed_readers
    killed_convert
    killed_samples
    killed_install
    stored_full_disk
    stored_cannot_write
    stored_two_writers
    ;;
  serve)
    source "$here/serve.sh"
    serve_prepare
    killed_serve
    ended_serve
    two_servers
    ;;
  training) training ;;
  *)
    echo "run.sh PROGRAM files|stored|serve|training [ROUNDS] [SEED]" >&2
    exit 2
    ;;
esac
[ $failures -eq 0 ] || {
  log "$failures failures"
  exit 1
}
log "no failure"
