# A SLURM of its own on this machine: munged, slurmctld and one slurmd a node, everything below $folder/slurm, ports that
# nobody else uses, stopped and removed at the end. Sourced by run.sh.

slurm_started=()

# slurm_tools: false where a program is missing, which `missing` then names.
slurm_tools() {
  local tool
  for tool in munged mungekey slurmctld slurmd srun scontrol; do
    command -v "$tool" >/dev/null || {
      missing="$tool is not installed (Debian: munge, slurmctld, slurmd, slurm-client)"
      return 1
    }
  done
  [ "$(id -u)" -eq 0 ] || {
    missing="slurmd needs root"
    return 1
  }
}

# slurm_daemon NAME COMMAND...: in the background, with its output in a file.
slurm_daemon() {
  local name=$1
  shift
  "$@" >"$slurm/$name.out" 2>&1 &
  slurm_started+=($!)
}

# start_slurm NODE[:ADDRESS:COMMAND PREFIX]...: without more than a name, a node listens on the loopback; the prefix starts
# its slurmd, and that of the first node the controller, in a network namespace.
start_slurm() {
  slurm=$folder/slurm
  mkdir -p "$slurm/state" "$slurm/munge"
  chmod 755 "$slurm"
  mungekey --create --keyfile "$slurm/munge.key" 2>/dev/null
  export SLURM_CONF=$slurm/slurm.conf
  local first=$1 controller controller_address prefix node address port nodes=() names=()
  IFS=: read -r controller controller_address prefix <<<"$first"
  {
    echo "ClusterName=launchers"
    echo "SlurmctldHost=$(${prefix} hostname)(${controller_address:-127.0.0.1})"
    echo "SlurmctldPort=$(free_port)"
    echo "AuthType=auth/munge"
    echo "CredType=cred/munge"
    echo "AuthInfo=socket=$slurm/munge/socket"
    echo "SlurmUser=root"
    echo "SlurmctldPidFile=$slurm/slurmctld.pid"
    echo "SlurmdPidFile=$slurm/slurmd.%n.pid"
    echo "SlurmdSpoolDir=$slurm/spool.%n"
    echo "StateSaveLocation=$slurm/state"
    echo "ProctrackType=proctrack/linuxproc"
    echo "TaskPlugin=task/none"
    echo "MpiDefault=none"
    echo "SelectType=select/cons_tres"
    echo "SlurmdParameters=config_overrides"
    echo "ReturnToService=2"
    echo "KillWait=5"
    for node in "$@"; do
      IFS=: read -r node address prefix <<<"$node"
      mkdir -p "$slurm/spool.$node"
      echo "NodeName=$node NodeHostname=$(${prefix} hostname) NodeAddr=${address:-127.0.0.1} Port=$(free_port) CPUs=4 State=UNKNOWN"
      names+=("$node")
    done
    echo "PartitionName=all Nodes=$(IFS=,; echo "${names[*]}") Default=YES MaxTime=INFINITE State=UP"
  } >"$SLURM_CONF"
  slurm_daemon munged munged --foreground --force --key-file "$slurm/munge.key" --socket "$slurm/munge/socket" \
    --pid-file "$slurm/munge/pid" --log-file "$slurm/munged.log" --seed-file "$slurm/munge/seed"
  wait_until 20 test -S "$slurm/munge/socket" || return 1
  IFS=: read -r controller controller_address slurm_prefix <<<"$first"
  slurm_daemon slurmctld $slurm_prefix slurmctld -D -f "$SLURM_CONF"
  for node in "$@"; do
    IFS=: read -r node address prefix <<<"$node"
    slurm_daemon "slurmd.$node" $prefix slurmd -D -N "$node" -f "$SLURM_CONF"
  done
  wait_until 60 slurm_ready ${#names[@]}
}

slurm_ready() {
  [ "$($slurm_prefix scontrol --oneliner show nodes 2>/dev/null | grep -c 'State=IDLE ')" -eq "$1" ]
}

stop_slurm() {
  local process
  [ ${#slurm_started[@]} -gt 0 ] || return 0
  $slurm_prefix scancel --full --state=RUNNING >/dev/null 2>&1 || true
  for process in "${slurm_started[@]:1}" "${slurm_started[0]}"; do kill "$process" 2>/dev/null || true; done
  for process in "${slurm_started[@]}"; do wait "$process" 2>/dev/null || true; done
  slurm_started=()
  rm -rf "$slurm"
  unset SLURM_CONF
}
