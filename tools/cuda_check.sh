#!/usr/bin/env bash
# Builds the CUDA configuration on a machine with a Hopper GPU and a CUDA build of PyTorch, runs the tests of the fused
# operations, then times them beside the plain libtorch composition.
# Usage: tools/cuda_check.sh [--sanitize] [--profile FILE.csv]
# --sanitize: small tests once more under compute-sanitizer, memcheck (must be clean) and racecheck (reported only).
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/cuda
sanitize=false
profile=
while [ $# -gt 0 ]; do
  case "$1" in
    --sanitize) sanitize=true ;;
    --profile) profile=$2; shift ;;
    *) echo "unknown option $1 (accepted: --sanitize, --profile FILE.csv)" >&2; exit 2 ;;
  esac
  shift
done

tools/cuda_build.sh test_core_cuda test_cuda cuda_core_bench ops_cuda_bench model_cuda_bench gpu_batches_bench

"$build/bin/test_core_cuda" --gtest_brief=1
"$build/bin/test_cuda" --gtest_brief=1
if $sanitize; then
  small='*37x7*:*1x5*:*39x20*:*/1x1x2*:*/3x2x3*:*MessageCudaPacked*'
  compute-sanitizer --tool memcheck --error-exitcode 1 "$build/bin/test_cuda" --gtest_brief=1 --gtest_filter="$small"
  compute-sanitizer --tool racecheck "$build/bin/test_cuda" --gtest_brief=1 \
    --gtest_filter='*/1x37x7*:*/3x1x5*' || echo "racecheck: see above"
fi
"$build/bin/cuda_core_bench"
"$build/bin/ops_cuda_bench"
"$build/bin/model_cuda_bench" small
"$build/bin/gpu_batches_bench"
if [ -n "$profile" ]; then
  ncu --clock-control none --csv --log-file "$profile" \
    --metrics gpu__time_duration.sum,dram__throughput.avg.pct_of_peak_sustained_elapsed,sm__throughput.avg.pct_of_peak_sustained_elapsed \
    "$build/bin/ops_cuda_bench" --bf16 --once 8 1000 100
fi
