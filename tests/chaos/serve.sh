# The server, killed while jobs run: it keeps nothing on disk, so nothing may be there, and the next one starts at
# once on the same port. Sourced by run.sh.

# start_server [PORT]: sets `server` to its process and `address`.
start_server() {
  mkdir -p serving/home serving/tmp
  : >address
  (
    cd serving
    exec env HOME="$folder/serving/home" TMPDIR="$folder/serving/tmp" XDG_DATA_HOME="$folder/serving/home" \
      CAUSCALE_MODELS="$models" "$program" serve --no-page --port "${1:-0}" --workers 2 --threads 1 -q \
      >"$folder/address" 2>"$folder/server_said"
  ) &
  server=$!
  for ((t = 0; t < 200; ++t)); do
    [ -s address ] && break
    sleep 0.05
  done
  address=$(head -1 address)
  [ -n "$address" ] || fail "serve: no address after ten seconds ($(head -1 server_said))"
}
post() { curl -s -m 20 -H 'Content-Type: application/json' -d "@$1" "${address}api/v1/jobs" | sed -n 's/.*"id": *"\([^"]*\)".*/\1/p'; }
state() { curl -s -m 20 "${address}api/v1/jobs/$1" | sed -n 's/.*"state": *"\([^"]*\)".*/\1/p'; }
# finish ID FILE: waits for the job and stores its result.
finish() {
  local now
  for ((t = 0; t < 600; ++t)); do
    now=$(state "$1")
    [ "$now" = queued ] || [ "$now" = running ] || break
    sleep 0.1
  done
  [ "$now" = done ] || fail "serve: a job ended as '$now'"
  curl -s -m 20 "${address}api/v1/jobs/$1/result?format=csv" -o "$2"
}
# stop_server SIGNAL: sets `code` to how it ended.
stop_server() {
  kill "-$1" "$server"
  code=0
  wait "$server" 2>/dev/null || code=$?
  server=
}
nothing_written() {
  local left
  left=$(find serving -type f)
  [ -z "$left" ] || fail "serve: files were left behind: $(echo "$left" | head -3 | tr '\n' ' ')"
}

serve_prepare() {
  command -v curl >/dev/null || {
    echo "SKIPPED: no curl"
    exit 77
  }
  "$program" simulate synthetic --nodes 8 --rows 300 --seed 9 -q -o asked
  {
    printf '{"name": "data.csv", "options": {"model": "synthetic"}, "table": "'
    awk 'NR > 1 { printf "\\n" } { printf "%s", $0 }' asked/data.csv
    printf '"}'
  } >request.json
  start_server
  port=${address##*:}
  port=${port%/}
  finish "$(post request.json)" answer.csv
  [ "$(wc -l <answer.csv)" -gt 1 ] || fail "serve: no answer ($(head -c 200 answer.csv))"
  stop_server TERM
  [ $code -eq 0 ] || fail "serve: exit code $code after SIGTERM"
  nothing_written
}

killed_serve() {
  local kills=0 jobs=0
  for ((k = 0; k < rounds; ++k)); do
    start_server "$port"
    for j in 1 2 3; do [ -n "$(post request.json)" ] && jobs=$((jobs + 1)); done
    wait_ms=$((RANDOM % 1500))
    sleep "$((wait_ms / 1000)).$(printf %03d $((wait_ms % 1000)))"
    stop_server KILL
    kills=$((kills + 1))
    nothing_written
  done
  start_server "$port"
  finish "$(post request.json)" again.csv
  cmp -s answer.csv again.csv || fail "serve: another answer after the kills"
  stop_server TERM
  log "serve: $kills kills with $jobs jobs under way, nothing on disk, the same port and the same answer afterwards"
}

# SIGTERM while jobs run and wait: it ends by itself, soon, with code 0.
ended_serve() {
  local longest=0 took begin
  for ((k = 0; k < (rounds + 1) / 2; ++k)); do
    start_server "$port"
    for j in 1 2 3 4; do post request.json >/dev/null; done
    sleep "0.$((RANDOM % 10))"
    begin=$(clock)
    stop_server TERM
    took=$(($(clock) - begin))
    [ $took -gt $longest ] && longest=$took
    [ $code -eq 0 ] || fail "serve: exit code $code after SIGTERM with jobs under way"
    nothing_written
  done
  log "serve: ends by SIGTERM with jobs under way, at most after $longest ms, code 0"
}

two_servers() {
  start_server "$port"
  expect_code 2 "$program" serve --no-page --port "$port" -q
  expect_said "port $port: Address already in use"
  finish "$(post request.json)" again.csv
  cmp -s answer.csv again.csv || fail "serve: another answer beside a second server"
  stop_server TERM
  log "serve: a second server on the port is refused, the first goes on"
}
