# What the parts of the chaos test share. Sourced by run.sh, which sets `program`, `rounds`, `folder` and `models`.
failures=0
fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}
log() { echo "$*"; }

# In milliseconds since some moment.
clock() { echo $(($(date +%s%N) / 1000000)); }
# kill_during MILLISECONDS COMMAND...: kills it with SIGKILL at a random moment of that time; sets `ended` to whether
# it was over by then.
kill_during() {
  local most=$1
  shift
  "$@" >/dev/null 2>&1 &
  local pid=$!
  local wait=$((RANDOM * (most + 1) / 32768))
  sleep "$((wait / 1000)).$(printf %03d $((wait % 1000)))"
  ended=0
  kill -KILL $pid 2>/dev/null || ended=1
  wait $pid 2>/dev/null || true
}
# judge_killed NAME FILE WHOLE: a file that held `old` before a command was killed holds that, which `old` counts, or
# all of WHOLE.
judge_killed() {
  if [ "$(head -c 3 "$2")" = old ]; then
    old=$((old + 1))
  elif ! cmp -s "$2" "$3"; then
    fail "$1: $2 is neither what was there nor the whole answer"
  fi
}
# expect_code CODE COMMAND...: its exit code; the output is in the file `said`.
expect_code() {
  local expected=$1 code=0
  shift
  "$@" >said 2>&1 || code=$?
  [ $code -eq "$expected" ] || fail "exit code $code instead of $expected of: $* ($(head -1 said))"
}
expect_said() { grep -q "$1" said || fail "'$1' is not in: $(head -1 said)"; }
expect_no_part() {
  local left
  left=$(find "$1" -name '*.part-*')
  [ -z "$left" ] || fail "left behind: $left"
}
# The time that COMMAND takes here and now, in milliseconds.
time_of() {
  local begin
  begin=$(clock)
  "$@" >/dev/null 2>&1
  echo $(($(clock) - begin))
}

# flip FILE OFFSET: changes one bit.
flip() {
  local byte
  byte=$(od -An -tu1 -j "$2" -N 1 "$1")
  printf "$(printf '\\x%02x' $((byte ^ (1 << RANDOM % 8))))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
random_below() { echo $(((RANDOM * 32768 + RANDOM) % $1)); }

# As nobody where this is root, who may write everywhere: as=() or a prefix for the command, and `read_only` whether
# there is a folder that cannot be written.
become_nobody() {
  mkdir -p closed
  chmod 555 closed
  as=()
  [ ! -w closed ] || as=(setpriv --reuid 65534 --regid 65534 --clear-groups)
  read_only=1
  if [ -w closed ] && ! "${as[@]}" "$program" --version >/dev/null 2>&1; then read_only=0; fi
}
# mount_small: a disk of 64 KiB, full but for nothing, at small/; false where none can be mounted.
mount_small() {
  mkdir -p small
  [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=64k tmpfs small 2>/dev/null || return 1
  mounted=$folder/small
}
fill_small() { head -c 70000 /dev/zero >small/filler 2>/dev/null || true; }
unmount_small() {
  umount "$mounted"
  mounted=
}
