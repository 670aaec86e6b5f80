#!/usr/bin/env bash
# Builds targets of the CUDA configuration in build/cuda, on a machine with a CUDA build of PyTorch.
# Usage: tools/cuda_build.sh TARGET...
# Headers that the machine lacks may lie in .carry/ (Random123, CLI, nlohmann, fast_float).
set -euo pipefail
cd "$(dirname "$0")/.."
arguments=(-S . -B build/cuda -G Ninja -DCAUSCALE_CUDA=ON
  "-DCMAKE_PREFIX_PATH=$(python3 -c 'import torch; print(torch.utils.cmake_prefix_path)')")
if [ -d .carry ]; then arguments+=("-DCAUSCALE_EXTRA_INCLUDE=$PWD/.carry"); fi
cmake "${arguments[@]}"
ninja -C build/cuda "$@"
