#!/usr/bin/env bash
# How much faster than another program is this one? `discover` on one table with one model, one view, nothing but
# the network: seconds of the clock and of the processor, the best of some turns, in which all take part one after
# the other, so that the ratios mean something on a busy machine.
#   bench/compare_programs.sh OLD NEW MODEL [VARIABLES] [ROWS] [TURNS]
# OLD and NEW are programs `causcale`. OLD may be one that computes by libtorch and its BLAS: it runs as it is and
# with OPENBLAS_CORETYPE=SkylakeX, as OpenBLAS falls back to slow kernels on processors that it does not know. NEW
# runs with every instruction set that it has here.
set -euo pipefail
if [ $# -lt 3 ]; then
  sed -n 's/^#   //p' "$0" >&2
  exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 - "$work" "$@" <<'PYTHON'
import os, random, resource, subprocess, sys, time

work, old, new, model = sys.argv[1:5]
variables, rows, turns = (int(text) for text in (sys.argv[5:] + ["100", "1000", "3"][len(sys.argv) - 5:])[:3])

table = f"{work}/table.csv"
random.seed(1)
with open(table, "w") as file:
    print(",".join(f"X{v}" for v in range(variables)), file=file)
    for _ in range(rows):
        row = []
        for v in range(variables):
            row.append(random.gauss(0, 1) + (0.8 * row[v - 1] if v % 5 else 0))
        print(",".join(f"{x:.6g}" for x in row), file=file)


def command(program):
    options = ["discover", table, "--model", model, "--views", "1", "-q", "-o", f"{work}/edges.csv"]
    known = subprocess.run([program, "discover", "--help"], capture_output=True, text=True).stdout
    for option in ("--evidence", "--stacking"):
        if option in known:
            options += [option, "off"]
    return [program, *options]


def run(arguments, settings):
    environment = {k: v for k, v in os.environ.items() if k not in ("OPENBLAS_CORETYPE", "CAUSCALE_ISA")}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(arguments, env=environment | settings, check=True, stdout=subprocess.DEVNULL)
    clock, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return clock, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def runs(settings):
    return subprocess.run([new, "info"], env=os.environ | settings, capture_output=True).returncode == 0


contenders = [("old", command(old), {}), ("old, OPENBLAS_CORETYPE=SkylakeX", command(old), {"OPENBLAS_CORETYPE": "SkylakeX"})]
for isa in ("base", "avx2", "avx512", "avx512bf16", "amx", "neon"):
    if runs({"CAUSCALE_ISA": isa}):
        contenders.append((f"new, {isa}", command(new), {"CAUSCALE_ISA": isa}))

best = {name: (float("inf"), float("inf")) for name, _, _ in contenders}
for _ in range(turns):
    for name, arguments, settings in contenders:
        best[name] = tuple(map(min, best[name], run(arguments, settings)))

with open("/proc/cpuinfo") as file:
    lines = file.read()
processor = next((line.split(":")[1].strip() for line in lines.splitlines() if line.startswith("model name")), "?")
print(f"{processor}, {os.cpu_count()} cores, AMX: {'yes' if 'amx_bf16' in lines else 'no'}, load {os.getloadavg()[0]:.1f};")
print(f"{variables} variables, {rows} rows, {os.path.basename(model)}, one view, the best of {turns} turns\n")
print("| program | seconds | processor seconds | times as fast as old | as old with SkylakeX |")
print("|---|---|---|---|---|")
reference = [best[name] for name, _, _ in contenders[:2]]
for name, _, _ in contenders:
    clock, processor_time = best[name]
    ratios = " | ".join(f"{r[0] / clock:.1f} (processor {r[1] / processor_time:.1f})" for r in reference)
    print(f"| {name} | {clock:.2f} | {processor_time:.2f} | {ratios} |")
PYTHON
