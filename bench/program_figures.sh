#!/usr/bin/env bash
# What the program costs apart from the network: start, a small table end to end, libraries, installed size.
#   bench/program_figures.sh BUILD
set -euo pipefail
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
program=$build/bin/causcale

# Best of twenty of processor and wall time in ms, and the peak of resident memory in MB, of a command.
measure() {
  python3 - "$@" <<'PYTHON'
import os, resource, subprocess, sys, time
wall, processor, peak = [], [], 0
for _ in range(20):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    wall.append(time.monotonic() - start)
    processor.append(usage.ru_utime + usage.ru_stime)
    peak = max(peak, usage.ru_maxrss)
    if status: sys.exit(f"{sys.argv[1:]} failed")
print(f"{1000 * min(wall):.0f} ms of the clock, {1000 * min(processor):.0f} ms of the processor, {peak / 1024:.0f} MB")
PYTHON
}

python3 - >"$work/table.csv" <<'PYTHON'
import random
random.seed(1)
print(",".join(f"X{v}" for v in range(10)))
for _ in range(100):
    row = []
    for v in range(10):
        row.append(random.gauss(0, 1) + (0.8 * row[v - 1] if v else 0))
    print(",".join(f"{x:.6g}" for x in row))
PYTHON
echo "processor: $(grep -m1 'model name' /proc/cpuinfo | sed 's/.*: //'), $(nproc) cores; AMX: $(grep -qw amx_tile /proc/cpuinfo && echo yes || echo no)"
echo "--version:            $(measure "$program" --version)"
echo "10 x 100, one view:   $(measure "$program" discover "$work/table.csv" --views 1 -q -o "$work/edges.csv")"
echo "10 x 100, as usual:   $(measure "$program" discover "$work/table.csv" -q -o "$work/edges.csv")"
echo "ldd:                  $(ldd "$program" | wc -l) libraries, torch among them: $(ldd "$program" | grep -c torch || true)"
cmake --install "$build" --prefix "$work/usr" --strip >/dev/null
rm -rf "$work/usr/share/causcale/models"
echo "installed, stripped, without models and training library:"
rm -f "$work"/usr/lib*/libcauscale_train* "$work"/usr/lib/*/libcauscale_train*
du -sh "$work/usr" | cut -f1
