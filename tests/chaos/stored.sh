# Commands that work on stored results and graphs, and the installation of models. Sourced by run.sh.

# result.json of the network, and two graph files that differ.
make_results() {
  "$program" simulate synthetic --nodes 6 --rows 200 --seed 5 -q -o small_table
  CAUSCALE_MODELS=$models "$program" discover small_table/data.csv --model synthetic --views 1 -q -o result.json
  "$program" discover table/data.csv --method pc -q -o one.json
  "$program" discover table/data.csv --method ges -q -o two.json
  "$program" simulate synthetic --nodes 400 --edges-per-node 8 --rows 2 --seed 6 -q -o large
  variables=($(head -1 small_table/data.csv | tr ',' ' '))
}

# unchanged LIST: every file of this folder is what the list of hashes says, and no other is there.
unchanged() {
  sha256sum --quiet -c "$1" >/dev/null 2>&1 || fail "$2: a file that was only read has changed"
  [ "$(find . -type f ! -name said ! -name "$1" | wc -l)" -eq "$(wc -l <"$1")" ] ||
    fail "$2: files were left behind: $(find . -type f -newer "$1" ! -name said | head -3 | tr '\n' ' ')"
}

# effects, check and next read; whenever they are killed, nothing has changed and nothing is left.
killed_readers() {
  local took kills=0 command
  find . -type f ! -name said ! -name before.list -exec sha256sum {} + >before.list
  for command in "effects result.json --of ${variables[0]} --on ${variables[1]} --samples 500 --bootstrap 200" \
    "check result.json --permutations 2000" "next result.json --count 5000"; do
    took=$(time_of "$program" $command)
    for ((k = 0; k < (rounds + 1) / 2; ++k)); do
      kill_during "$took" "$program" $command
      [ $ended -eq 0 ] && kills=$((kills + 1))
    done
    unchanged before.list "${command%% *}"
  done
  log "effects, check, next: $kills kills, nothing changed, nothing left behind"
}

# killed_output NAME WHOLE FILES COMMAND...: FILES (with "old" in them) are old or as the folder WHOLE has them.
killed_output() {
  local name=$1 whole=$2 files=$3 took kills=0 old=0 all=0
  shift 3
  took=$(time_of "$@")
  for ((k = 0; k < rounds; ++k)); do
    for file in $files; do echo old >"$file"; done
    kill_during $((took + took / 4)) "$@"
    [ $ended -eq 0 ] && kills=$((kills + 1))
    for file in $files; do
      all=$((all + 1))
      judge_killed "$name" "$file" "$whole/$file"
    done
  done
  rm -f ./*.part-*
  log "$name: $kills kills of $rounds, $old of $all files as before, the others whole"
}

killed_convert() {
  mkdir -p whole_stored
  "$program" convert large/truth.csv whole_stored/graph.gml
  killed_output convert whole_stored graph.gml "$program" convert large/truth.csv graph.gml
}

killed_samples() {
  local run=("$program" samples result.json --count 20000 -q)
  "${run[@]}" --out whole_stored/graphs.csv --ancestry whole_stored/ancestry.csv
  killed_output samples whole_stored "graphs.csv ancestry.csv" "${run[@]}" --out graphs.csv --ancestry ancestry.csv
}

# installed_sound FOLDER: what is there can be used, and its list agrees with it.
installed_sound() {
  local file
  for file in "$1"/*.safetensors; do
    [ -e "$file" ] || continue
    cmp -s "$file" "$models/$(basename "$file")" || cmp -s "$file" other/"$(basename "$file")" ||
      fail "models install: $file is not whole"
    ! grep -q " $(basename "$file")$" "$1/SHA256SUMS" 2>/dev/null ||
      (cd "$1" && grep " $(basename "$file")$" SHA256SUMS | sha256sum --quiet -c >/dev/null 2>&1) ||
      fail "models install: the list does not agree with $file"
  done
}

killed_install() {
  local run=("$program" models install "$models/synthetic.safetensors" -q --folder) took kills=0 there=0
  mkdir -p other
  cp "$models/sergio.safetensors" other/synthetic.safetensors
  took=$(time_of "${run[@]}" timed_install)
  for ((k = 0; k < rounds; ++k)); do
    rm -rf installing
    ((k % 2)) && "$program" models install other/synthetic.safetensors -q --folder installing 2>/dev/null
    kill_during $((took + took / 4)) "${run[@]}" installing --replace
    [ $ended -eq 0 ] && kills=$((kills + 1))
    [ -e installing/synthetic.safetensors ] && there=$((there + 1))
    installed_sound installing
    expect_code 0 "${run[@]}" installing --replace
    cmp -s installing/synthetic.safetensors "$models/synthetic.safetensors" || fail "models install: not done by a second run"
    installed_sound installing
    expect_no_part installing
  done
  log "models install: $kills kills, $there times a model was there, each whole and as its list says; a second run mends the rest"
}

stored_full_disk() {
  local command
  if mount_small; then
    for file in graph.gml graphs.csv; do echo old >small/$file; done
    fill_small
    expect_code 1 "$program" convert one.json small/graph.gml
    expect_said "graph.gml: .*No space left"
    expect_code 1 "$program" samples result.json --count 20000 -q --out small/graphs.csv
    expect_said "graphs.csv: .*No space left"
    expect_code 1 "$program" models install "$models/synthetic.safetensors" --folder small/models
    expect_said "No space left"
    for file in graph.gml graphs.csv; do [ "$(cat small/$file)" = old ] || fail "full disk: the old $file is gone"; done
    [ ! -e small/models/synthetic.safetensors ] || fail "full disk: a model that is not whole was installed"
    expect_no_part small
    unmount_small
    log "full disk: convert, samples and models install refuse with one line, old files kept, nothing left behind"
  else
    log "full disk: no tmpfs can be mounted here"
  fi
  for command in "effects result.json --of ${variables[0]} --on ${variables[1]}" "check result.json" "next result.json" \
    "samples result.json" "convert one.json - --to dagitty" "models"; do
    code=0
    "$program" $command >/dev/full 2>said || code=$?
    [ $code -eq 1 ] || fail "full standard output: exit code $code of $command"
    expect_said "standard output: the result could not be written"
  done
  log "standard output on a full disk: effects, check, next, samples, convert, models say so"
}

stored_cannot_write() {
  expect_code 1 "$program" convert one.json /proc/graph.gml
  expect_said "/proc/graph.gml: cannot write"
  become_nobody
  if [ $read_only -eq 1 ]; then
    expect_code 1 "${as[@]}" "$program" convert one.json closed/graph.gml
    expect_said "closed/graph.gml: cannot write: Permission denied"
    expect_code 1 "${as[@]}" "$program" samples result.json -q --out closed/graphs.csv
    expect_said "closed/graphs.csv: cannot write: Permission denied"
    expect_code 1 "${as[@]}" "$program" models install "$models/synthetic.safetensors" --folder closed/models
    expect_said "closed/models.*Permission denied"
    # Reading needs no place to write.
    expect_code 0 "${as[@]}" env -C closed "$program" check "$folder/result.json" --data "$folder/small_table/data.csv"
  fi
  chmod 755 closed
  [ -z "$(find closed -mindepth 1)" ] || fail "files in a folder that cannot be written"
  log "folders that cannot be written: convert, samples, models install refuse with one line, check needs none"
}

stored_two_writers() {
  local first a b
  "$program" convert one.json first.gml
  "$program" convert two.json second.gml
  for ((k = 0; k < (rounds + 1) / 2; ++k)); do
    "$program" convert one.json both.gml &
    first=$!
    a=0 b=0
    "$program" convert two.json both.gml || b=$?
    wait $first || a=$?
    [ $a -eq 0 ] && [ $b -eq 0 ] || fail "two writers: exit codes $a and $b of convert"
    cmp -s both.gml first.gml || cmp -s both.gml second.gml || fail "two writers: the graph is of neither"
    rm -rf together
    "$program" models install "$models/synthetic.safetensors" -q --folder together 2>/dev/null &
    first=$!
    a=0 b=0
    "$program" models install "$models/general.safetensors" -q --folder together 2>/dev/null || b=$?
    wait $first || a=$?
    [ $a -eq 0 ] && [ $b -eq 0 ] || fail "two writers: exit codes $a and $b of models install"
    installed_sound together
    [ "$(wc -l <together/SHA256SUMS)" -eq 2 ] || fail "two writers: the list of models has lost one"
  done
  expect_no_part .
  log "two writers on one graph file and one folder of models: all is whole, the list names both models"
}
