#!/usr/bin/env bash
# The programs that are to run elsewhere: they import nothing newer than glibc 2.28, the tarball works where it is
# unpacked and gives the ordinary program's answer, and the static program runs in a root that holds nothing else.
#   portable.sh BUILD PROGRAM
set -euo pipefail
build=$1 ordinary=$2
source=$(cd "$(dirname "$0")/../.." && pwd)
[ -x "$build/portable/bin/causcale" ] || { echo "skipped: the portable program is not built"; exit 77; }
command -v objdump >/dev/null || { echo "skipped: objdump is missing"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }
unset CAUSCALE_MODELS LD_LIBRARY_PATH XDG_DATA_HOME XDG_DATA_DIRS
export HOME=$work/home

mapfile -t programs < <(find "$build/portable" -type f \( -name 'causcale*' -o -name '_native*' \))
"$source/tools/check_symbols.sh" "${programs[@]}" || fail "symbols of a newer glibc"
# The check can fail: the ordinary program was built for this system alone.
! "$source/tools/check_symbols.sh" --glibc 2.5 "$build/portable/bin/causcale" >/dev/null 2>&1 || fail "nothing is newer than glibc 2.5"

"$source/tools/make_tarball" "$build" causcale-test "$work" >/dev/null
tar -xzf "$work/causcale-test.tar.gz" -C "$work"
head -201 "$source/examples/sachs/data.csv" >"$work/data.csv"
cd "$work"
"$ordinary" discover data.csv --quiet -o ordinary.csv
# By its name alone, as from the PATH, and through a link: models are found beside the program all the same.
ln -s causcale-test/bin/causcale link
PATH=$work/causcale-test/bin:$PATH causcale models --json >models.json
grep -q "$work/causcale-test/share/causcale/models/general" models.json ||
  fail "the models of the tarball are not found"
for program in causcale-test/bin/causcale ./link causcale-test/bin/causcale-static; do
  "$program" discover data.csv --quiet -o found.csv
  cmp found.csv ordinary.csv || fail "$program gives another answer"
done
causcale-test/bin/causcale train --config "$source/configs/synthetic.json" --out run >message 2>&1 && fail "train runs without libtorch"
grep -q "libtorch, which this self-contained program does without" message || fail "train: $(cat message)"
[ -s causcale-test/share/man/man1/causcale.1.gz ] || [ -s causcale-test/share/man/man1/causcale.1 ] || fail "no manual page"
[ -s causcale-test/share/doc/causcale/LICENSE ] || fail "no licence"

# Nothing but the tarball and a table.
mkdir root && mv causcale-test root/opt && cp data.csv root/
inside() { if [ "$(id -u)" -eq 0 ]; then chroot root "$@"; else unshare --user --map-root-user chroot root "$@"; fi; }
if [ "$(id -u)" -eq 0 ] || unshare --user --map-root-user true 2>/dev/null; then
  inside /opt/bin/causcale-static discover /data.csv --quiet -o /edges.csv
  cmp root/edges.csv ordinary.csv || fail "the static program gives another answer in an empty root"
  inside /opt/bin/causcale-static discover /data.csv --quiet -o /graph.svg
else
  echo "neither root nor user namespaces: the static program was not tried in an empty root"
fi
echo "tarball: $(stat -c %s "$work/causcale-test.tar.gz") bytes; the programs run anywhere"
