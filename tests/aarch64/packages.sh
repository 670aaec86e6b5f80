#!/usr/bin/env bash
# Tries what `make aarch64` has made in an emulator: both programs of the tarball, and the wheel with the Python and NumPy of
# the folder that tools/aarch64_root made. Nothing is installed.
#   packages.sh [BUILD] [ROOT]            build/static-aarch64 and build/aarch64-root unless told
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$(realpath "${1:-$source/build/static-aarch64}")
root=$(realpath "${2:-$source/build/aarch64-root}")
command -v qemu-aarch64 >/dev/null || { echo "skipped: no qemu-aarch64 (Debian: qemu-user)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }
unset CAUSCALE_MODELS LD_LIBRARY_PATH
export XDG_DATA_HOME=$work/nobody
emulated() { qemu-aarch64 -L "$root" "$@"; }

mkdir "$work/tar" "$work/wheel"
tar -xzf "$build"/causcale-*-linux-aarch64.tar.gz -C "$work/tar" --strip-components=1
awk 'BEGIN { srand(5); print "a,b,c,d"
  for (k = 0; k < 60; ++k) { a = rand(); b = a + 0.3 * rand(); c = b - a * rand(); print a "," b "," c "," rand() } }' >"$work/data.csv"
cd "$work"
for program in causcale causcale-static; do
  echo "$program $(emulated "tar/bin/$program" --version)"
  emulated "tar/bin/$program" discover data.csv -q --views 1 -o "$program.csv" -o "$program.html"
  grep -q '^source,target,probability' "$program.csv" || fail "$program wrote no edges"
done
cmp causcale.csv causcale-static.csv || fail "the two programs differ"

python=$(ls "$root"/usr/bin/python3.[0-9]* | grep -v config | head -1)
/usr/bin/python3 -m zipfile -e "$build"/wheel/causcale-*_aarch64.whl wheel
PYTHONHOME=$root/usr PYTHONPATH=$work/wheel:$root/usr/lib/python3/dist-packages emulated "$python" -B -c "
import platform, causcale, numpy
result = causcale.discover(causcale.read('data.csv'), views=1, warn=False)
assert causcale.__file__.startswith('$work'), causcale.__file__
result.save('python.csv')
print('wheel', causcale.__version__, 'on', platform.machine(), 'with Python', platform.python_version(), 'and NumPy', numpy.__version__)"
cmp causcale.csv python.csv || fail "the wheel gives another answer"
"$source/tools/check_symbols.sh" tar/bin/causcale wheel/causcale/_native.*.so
echo "tarball and wheel for 64-bit ARM work in the emulator"
