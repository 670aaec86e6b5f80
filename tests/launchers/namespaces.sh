# Two network namespaces with a cable between them, which stand for two machines: names, addresses and routes of their
# own. Each knows its own name as 127.0.1.1, as Debian's installer sets machines up. Sourced by run.sh.
namespace_a=causcale-$$-a
namespace_b=causcale-$$-b
address_a=10.213.77.1
address_b=10.213.77.2
namespaces=0

# make_namespaces: false where that cannot be done here; $folder/in_a and $folder/in_b then start a command in one of them.
make_namespaces() {
  [ "$(id -u)" -eq 0 ] && command -v ip >/dev/null && ip netns add "$namespace_a" 2>/dev/null || return 1
  namespaces=1
  ip netns add "$namespace_b" || return 1
  local link_a=cs$$a link_b=cs$$b side
  ip link add "$link_a" netns "$namespace_a" type veth peer name "$link_b" netns "$namespace_b" || return 1
  ip -n "$namespace_a" address add "$address_a/24" dev "$link_a"
  ip -n "$namespace_b" address add "$address_b/24" dev "$link_b"
  for side in a b; do
    local name=namespace_$side link=link_$side
    ip -n "${!name}" link set lo up
    ip -n "${!name}" link set "${!link}" up
    # Not by ip netns exec, whose /sys has no control groups, which slurmd wants.
    cat >"$folder/in_$side" <<SCRIPT
#!/bin/sh
exec nsenter --net=/var/run/netns/${!name} unshare --uts --mount sh -c \
  'hostname node-$side; mount --bind $folder/hosts_$side /etc/hosts; exec "\$@"' sh "\$@"
SCRIPT
    chmod 755 "$folder/in_$side"
  done
  printf '127.0.0.1 localhost\n127.0.1.1 node-a\n%s node-b\n' "$address_b" >"$folder/hosts_a"
  printf '127.0.0.1 localhost\n127.0.1.1 node-b\n%s node-a\n' "$address_a" >"$folder/hosts_b"
  cable=$link_b
}

remove_namespaces() {
  [ $namespaces -eq 1 ] || return 0
  local name process
  for name in "$namespace_a" "$namespace_b"; do
    for process in $(ip netns pids "$name" 2>/dev/null); do kill -KILL "$process" 2>/dev/null || true; done
    ip netns del "$name" 2>/dev/null || true
  done
  namespaces=0
}

# Each: LAUNCHER PROCESSES OUT STEPS [MORE], half of the processes on either machine.
variables_apart() {
  local size=$1 rank side port codes=0 started=()
  port=$(free_port)
  train "$@"
  for ((rank = 0; rank < size; ++rank)); do
    side=a
    [ $((2 * rank)) -lt "$size" ] || side=b
    RANK=$rank WORLD_SIZE=$size LOCAL_RANK=$((rank % (size / 2))) LOCAL_WORLD_SIZE=$((size / 2)) MASTER_ADDR=node-a \
      MASTER_PORT=$port "$folder/in_$side" "${train_line[@]}" &
    started+=($!)
  done
  for rank in "${started[@]}"; do wait "$rank" || codes=$?; done
  return $codes
}
torchrun_apart() {
  local side port codes=0 started=()
  port=$(free_port)
  train "$@"
  for side in a b; do
    "$folder/in_$side" torchrun "${torchrun_output[@]}" --no_python --nnodes 2 --nproc_per_node $(($1 / 2)) --rdzv_backend c10d \
      --rdzv_endpoint "node-a:$port" --rdzv_id "$2" --rdzv_conf "is_host=$([ $side = a ] && echo true || echo false)" \
      "${train_line[@]}" &
    started+=($!)
  done
  for side in "${started[@]}"; do wait "$side" || codes=$?; done
  return $codes
}
mpirun_apart() {
  printf '#!/bin/sh\nside=${1#node-}\nshift\nexec %s/in_$side sh -c "$*"\n' "$folder" >"$folder/remote_shell"
  chmod 755 "$folder/remote_shell"
  train "$@"
  MASTER_ADDR=node-a MASTER_PORT=$(free_port) "$folder/in_a" mpirun --allow-run-as-root --oversubscribe \
    -H "node-a:$(($1 / 2)),node-b:$(($1 / 2))" --mca plm_rsh_agent "$folder/remote_shell" \
    --mca oob_tcp_if_include "$address_a/24" -x MASTER_ADDR -x MASTER_PORT -x OMP_NUM_THREADS -n "$1" "${train_line[@]}"
}
srun_apart() {
  train "$@"
  "$folder/in_a" srun --ntasks "$1" --nodes 2 --ntasks-per-node $(($1 / 2)) "${train_line[@]}"
}

part_namespaces() {
  make_namespaces || {
    skip "no network namespaces can be made here"
    return
  }
  same_course "variables on two machines" variables_apart
  if command -v torchrun >/dev/null; then same_course "torchrun on two machines" torchrun_apart; else skip "torchrun is not installed"; fi
  if command -v mpirun >/dev/null; then same_course "mpirun on two machines" mpirun_apart; else skip "mpirun is not installed"; fi
  if slurm_tools; then
    if start_slurm "node-a:$address_a:$folder/in_a" "node-b:$address_b:$folder/in_b"; then
      same_course "srun on two machines" srun_apart
    else
      fail "srun on two machines: SLURM did not start: $(tail -n 3 "$slurm"/*.out | tr '\n' ' ')"
    fi
    stop_slurm
  else
    skip "$missing"
  fi
  dead_machine
  remove_namespaces
}

# All processes of one machine die at once.
dead_machine() {
  local begin took code=0 process
  variables_apart 4 machine 100000 >"$folder/said" 2>&1 &
  local started=$!
  wait_until 60 has_steps machine 3 || fail "dead machine: no steps; $(head -n 5 "$folder/said")"
  begin=$(clock)
  for process in $(ip netns pids "$namespace_b"); do kill -KILL "$process" 2>/dev/null || true; done
  wait_until 30 no_process_of machine || fail "dead machine: the other's processes go on"
  took=$(($(clock) - begin))
  wait $started || code=$?
  [ $code -ne 0 ] || fail "dead machine: exit code 0"
  said "process 0 of 4: process [23] of 4"
  said "go on with --resume"
  go_on machine "dead machine: all 2 processes of one killed, the other's ended after $(seconds $took)"
}

# go_on OUT WHAT: three more steps with two processes on the first machine.
go_on() {
  local last
  last=$(last_step "$1")
  expect 0 variables 2 "$1" $((last + 3)) --resume
  log "  $2, went on from step $last with 2 processes"
}

# The cable is cut: nobody hears anything, not even that a connection has ended. Takes more than a minute.
part_cable() {
  make_namespaces || {
    skip "no network namespaces can be made here"
    return
  }
  local begin took code=0
  variables_apart 2 cable 100000 >"$folder/said" 2>&1 &
  local started=$!
  wait_until 60 has_steps cable 3 || fail "cut cable: no steps; $(head -n 5 "$folder/said")"
  ip -n "$namespace_b" link set "$cable" down
  begin=$(clock)
  wait_until 150 no_process_of cable || fail "cut cable: processes go on"
  took=$(($(clock) - begin))
  wait $started || code=$?
  [ $code -ne 0 ] || fail "cut cable: exit code 0"
  said "process 0 of 2: process 1 of 2.*no sign of life"
  said "process 1 of 2: process 0 of 2.*has not answered"
  go_on cable "cut cable: both ended after $(seconds $took)"
  remove_namespaces
}
