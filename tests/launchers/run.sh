#!/usr/bin/env bash
# Training with several processes as launchers really start them, on this machine: torchrun, mpirun, srun with a SLURM
# that is set up for it, and plain variables; on one host and on two network namespaces that stand for two machines. The
# weights must be the same whoever starts the processes, and those of one process but for the order of sums. A killed
# process, a dead machine, a cut cable and a full disk end all processes in bounded time, with a message, and the run goes
# on with another number of processes.
#   run.sh PROGRAM PART...     parts: variables torchrun mpirun srun disk namespaces cable
# Leaves with 77, which CTest counts as skipped, where nothing could be run; what is missing is said.
set -uo pipefail
program=$(realpath "$1")
shift
here=$(cd "$(dirname "$0")" && pwd)
source_folder=$(cd "$here/../.." && pwd)
folder=$(mktemp -d)
chmod 755 "$folder"
export OMP_NUM_THREADS=1
mounted=
source "$here/helpers.sh"
source "$here/slurm.sh"
source "$here/namespaces.sh"
clean_up() {
  stop_slurm
  local process
  for process in $(processes_of "" | cut -d ' ' -f 2); do kill -KILL "$process" 2>/dev/null || true; done
  remove_namespaces
  [ -z "$mounted" ] || umount "$mounted"
  rm -rf "$folder"
}
trap clean_up EXIT

# Unless told what to do with output, torchrun 1.13 fails under Python 3.11, which is what Debian 12 has.
torchrun_output=(--redirects 1 --tee 1 --log_dir "$folder/torchrun_logs")
steps=12        # of the runs whose weights are compared
rounding=2e-3   # of the largest weight, after so many steps of sums in another order

# Each: LAUNCHER PROCESSES OUT STEPS [MORE]
alone() {
  train 1 "${@:2}"
  "${train_line[@]}"
}
variables() {
  local size=$1 rank port codes=0
  port=$(free_port)
  train "$@"
  local started=()
  for ((rank = 0; rank < size; ++rank)); do
    RANK=$rank WORLD_SIZE=$size LOCAL_RANK=$rank LOCAL_WORLD_SIZE=$size MASTER_ADDR=127.0.0.1 MASTER_PORT=$port \
      "${train_line[@]}" &
    started+=($!)
  done
  for rank in "${started[@]}"; do wait "$rank" || codes=$?; done
  return $codes
}
torchrun_here() {
  train "$@"
  torchrun "${torchrun_output[@]}" --no_python --nnodes 1 --nproc_per_node "$1" --rdzv_backend c10d --rdzv_endpoint "127.0.0.1:$(free_port)" \
    --rdzv_id "$2" "${train_line[@]}"
}
mpirun_here() {
  train "$@"
  MASTER_PORT=$(free_port) mpirun --allow-run-as-root --oversubscribe -x MASTER_PORT -n "$1" "${train_line[@]}"
}
srun_here() {
  train "$@"
  srun --ntasks "$1" --nodes 1 "${train_line[@]}"
}

one_process() {
  [ -e "$folder/one" ] || expect 0 alone 1 one "$steps"
}

# same_course NAME LAUNCHER: 2 and 4 processes; the first launcher's weights are what all others' are compared with.
same_course() {
  local name=$1 launcher=$2 out size
  one_process
  for size in 2 4; do
    out=${name// /_}$size
    expect 0 "$launcher" "$size" "$out" "$steps"
    same_weights one "$out" "$rounding" "$name, $size processes, and one process"
    if [ -e "$folder/like$size" ]; then
      same_weights "like$size" "$out" 0 "$name, $size processes, and $(cat "$folder/like$size/name")"
    else
      cp -r "$folder/$out" "$folder/like$size"
      echo "$name" >"$folder/like$size/name"
    fi
  done
}

deaths() {
  says="process 1 of 3" survives_a_death "$1" "$1_death" 1 "$2"
  says="process 0 of 3" survives_a_death "$1" "$1_first_death" 0 "$2"
}

part_variables() {
  same_course variables variables
  deaths variables variables
  # The 12 steps of one process, in parts of 1, 4 and 2 processes.
  expect 0 alone 1 parts 4
  expect 0 variables 4 parts 8 --resume
  expect 0 variables 2 parts "$steps" --resume
  [ "$(last_step parts)" -eq "$steps" ] || fail "resumed with 4 and 2 processes: it ends at step $(last_step parts)"
  log "  resumed: 4 steps of 1 process, 4 of 4 and 4 of 2"
}

part_torchrun() {
  command -v torchrun >/dev/null || {
    skip "torchrun is not installed (Debian: python3-torch)"
    return
  }
  same_course torchrun torchrun_here
  # torchrun ends the others with SIGTERM, faster than they find out.
  survives_a_death torchrun torchrun_death 1 torchrun_here
  survives_a_death torchrun torchrun_first_death 0 torchrun_here
}

part_mpirun() {
  command -v mpirun >/dev/null || {
    skip "mpirun is not installed (Debian: openmpi-bin)"
    return
  }
  same_course mpirun mpirun_here
  survives_a_death mpirun mpirun_death 1 mpirun_here
  survives_a_death mpirun mpirun_first_death 0 mpirun_here
}

part_srun() {
  slurm_tools || {
    skip "$missing"
    return
  }
  start_slurm node1 || {
    fail "srun: SLURM did not start: $(tail -n 3 "$slurm"/*.out | tr '\n' ' ')"
    stop_slurm
    return
  }
  same_course srun srun_here
  deaths srun srun_here
  stop_slurm
}

# The disk of the run's folder fills up between two checkpoints.
part_disk() {
  local launcher=variables checkpoint_minutes=0.02 started code=0 before
  [ "$(id -u)" -eq 0 ] && mkdir -p "$folder/disk" && mount -t tmpfs -o size=24m tmpfs "$folder/disk" 2>/dev/null || {
    skip "no tmpfs can be mounted here"
    return
  }
  mounted=$folder/disk
  $launcher 2 disk/run 100000 >"$folder/said" 2>&1 &
  started=$!
  wait_until 60 has_steps disk/run 3 || fail "disk: no steps; $(head -n 5 "$folder/said")"
  dd if=/dev/zero of="$folder/disk/filler" bs=64k >/dev/null 2>&1
  wait_until 60 no_process_of disk/run || fail "disk: the processes go on although nothing can be written"
  wait $started || code=$?
  [ $code -ne 0 ] || fail "disk: exit code 0 on a full disk"
  said "No space left\|disk full"
  said "process 1 of 2: process 0 of 2"
  [ -z "$(find "$folder/disk" -name '*.part-*')" ] || fail "disk: parts of files are left behind"
  rm "$folder/disk/filler"
  before=$(python3 "$here/weights.py" "$folder/disk/run/checkpoint.safetensors" "$folder/disk/run/checkpoint.safetensors" 0 |
    sed 's/.*after step \([0-9]*\).*/\1/')
  expect 0 variables 4 disk/run $((before + 3)) --resume
  log "  full disk: both processes ended ($(grep -m 1 -o 'No space left[^:;]*\|disk full' "$folder/said" || echo "with a message")), went on from step $before with 4"
  umount "$mounted"
  mounted=
}

[ $# -gt 0 ] || {
  sed -n 's/^# *//; 7p' "$0" >&2
  exit 2
}
expect 0 "$program" --version
if ! "$program" train --help >/dev/null 2>&1; then fail "the program has no command train"; fi
ran=0
for part in "$@"; do
  before=$((skipped))
  log "$part"
  "part_$part"
  [ "$skipped" -gt "$before" ] || ran=$((ran + 1))
done
if [ $failures -gt 0 ]; then
  log "launchers: $failures failures"
  exit 1
fi
if [ $ran -eq 0 ]; then
  log "launchers: nothing could be run"
  exit 77
fi
log "launchers: $ran parts without a failure, $skipped skipped"
