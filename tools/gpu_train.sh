#!/usr/bin/env bash
# One stretch of training on a machine with a Hopper GPU and a CUDA build of PyTorch: builds the program when that is
# needed, begins the run or goes on with it, and ends within the time given. Call it again until the run is finished;
# then it calibrates the model and measures the paper's first table.
# Usage: tools/gpu_train.sh CONFIG RUN SECONDS OUT [--init WEIGHTS] [TABLE1 OPTIONS...]
#   RUN      folder of the run, with its checkpoint; kept between calls
#   SECONDS  for everything in this call, the build included
#   OUT      gets metrics.jsonl and model.safetensors, in the end calibrated, with table1.md and table1.json
set -euo pipefail
if [ $# -lt 4 ]; then sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2; fi
config=$1 run=$2 seconds=$3 out=$4
shift 4
init=
if [ "${1:-}" = --init ]; then init=$2; shift 2; fi
for file in "$config" ${init:+"$init"}; do
  [ -f "$file" ] || { echo "$file does not exist" >&2; exit 2; }
done

tools=$(dirname "$0")
mkdir -p "$run" "$out"
"$tools/cuda_build.sh" causcale_cli > "$run/build.log" 2>&1 ||
  { grep -A8 -E 'error|Error|FAILED' "$run/build.log" | head -60; exit 1; }
echo "built after $SECONDS s"

causcale=$tools/../build/cuda/bin/causcale
ending=100  # seconds that calibration and the table take, with some to spare
how=()
if [ -f "$run/checkpoint.safetensors" ]; then how=(--resume); elif [ -n "$init" ]; then how=(--init "$init"); fi
status=0
"$causcale" train --config "$config" --out "$run" --device cuda --time-budget $((seconds - SECONDS - 15))s "${how[@]}" \
  > "$run/train.log" 2>&1 || status=$?
grep -E 'mAP|resumed|at step|causcale:' "$run/train.log" || true
[ $status -eq 0 ] || exit $status
cp "$run/metrics.jsonl" "$run/model.safetensors" "$out"
grep -q 'finished at step' "$run/train.log" || { echo "not finished: call again"; exit 0; }
[ $((seconds - SECONDS)) -ge $ending ] || { echo "finished, but $ending s are needed to measure: call again"; exit 0; }

grown=()
if [ -n "$init" ]; then grown=(--grown-from "$init"); fi
"$causcale" calibrate --model "$run/model.safetensors" --config "$config" --graphs 256 --device cuda "${grown[@]}" \
  -o "$out/model.safetensors"
"$causcale" benchmark table1 --model "$out/model.safetensors" --device cuda --quiet \
  -o "$out/table1.json" --markdown "$out/table1.md" "$@"
