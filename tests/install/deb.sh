#!/usr/bin/env bash
# Packs the build as two Debian packages; checks what they hold and need; installs the first into an empty root, runs
# what was installed, adds the second, removes both, and looks for leftovers.
set -euo pipefail
build=$1
source=$(cd "$(dirname "$0")/../.." && pwd)
for tool in cpack dpkg-deb dpkg-shlibdeps file; do
  command -v $tool >/dev/null || { echo "skipped: $tool is missing"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

(cd "$build" && cpack -G DEB -B "$work/package" >"$work/cpack.log" 2>&1) || { cat "$work/cpack.log"; fail "cpack"; }
deb=$(ls "$work"/package/causcale_*.deb)
train=$(ls "$work"/package/causcale-train_*.deb)

dpkg-deb --contents "$deb" >"$work/contents"
for path in usr/bin/causcale usr/lib/libcauscale.so.0 usr/lib/causcale/causcale-read-h5ad \
  usr/share/causcale/models/SHA256SUMS usr/share/causcale/models/synthetic.safetensors \
  usr/share/bash-completion/completions/causcale usr/share/zsh/vendor-completions/_causcale \
  usr/share/fish/vendor_completions.d/causcale.fish usr/share/man/man1/causcale.1.gz usr/share/doc/causcale/copyright \
  usr/include/causcale/discover.h; do
  grep -q "\./$path\( \|$\)" "$work/contents" || fail "$path is not in the package"
done
depends=$(dpkg-deb --field "$deb" Depends)
echo "Depends: $depends"
for library in libc6 libstdc++6; do
  [[ $depends == *$library* ]] || fail "the package does not depend on $library"
done
[[ $depends != *torch* ]] || fail "the package depends on libtorch"
! grep -q libcauscale_train "$work/contents" || fail "the training library is in the first package"
needs=$(dpkg-deb --field "$train" Depends)
echo "causcale-train depends: $needs"
[[ $needs == *libtorch* && $needs == *"causcale (= $(dpkg-deb --field "$deb" Version))"* ]] || fail "causcale-train: $needs"
[ "$(dpkg-deb --contents "$train" | grep -c 'causcale')" = "$(dpkg-deb --contents "$train" | grep -c 'libcauscale_train')" ] ||
  fail "causcale-train holds more than its library: $(dpkg-deb --contents "$train")"
[[ $(dpkg-deb --field "$deb" Recommends) == *libcairo2* ]] || fail "the package does not recommend libcairo2"
[[ $depends != *causcale* ]] || fail "the package depends on itself"
# The machine that built it fulfils its dependencies; nothing is installed here.
if [ "$(id -u)" -eq 0 ]; then
  dpkg --no-act --install "$deb" "$train" >"$work/dpkg.log" 2>&1 || { cat "$work/dpkg.log"; fail "its dependencies are not fulfilled"; }
fi

root=$work/root
mkdir -p "$root/var/lib/dpkg"/{info,updates} && touch "$root/var/lib/dpkg"/{status,available}
if [ "$(id -u)" -eq 0 ]; then
  # The empty root lacks the libraries; those of the machine are used to run the program.
  into_root() { dpkg --root="$root" --force-depends --force-script-chrootless "$@" >"$work/dpkg.log" 2>&1 || { cat "$work/dpkg.log"; fail "dpkg $*"; }; }
  into_root --install "$deb"
else
  dpkg-deb --extract "$deb" "$root"
fi

unset CAUSCALE_MODELS LD_LIBRARY_PATH
causcale=$root/usr/bin/causcale
ldd "$causcale" | grep "libcauscale" | grep "$root" >/dev/null || fail "the program does not use the installed library"
"$causcale" --version
"$causcale" models --json | grep "$root/usr/share/causcale/models/synthetic.safetensors" >/dev/null || fail "models are not found"
head -201 "$source/examples/sachs/data.csv" >"$work/data.csv"
"$causcale" discover "$work/data.csv" --quiet -o "$work/edges.csv"
"$causcale" train --config "$source/configs/synthetic.json" --out "$work/run" >"$work/message" 2>&1 &&
  fail "train runs without causcale-train"
grep -q "install the package causcale-train" "$work/message" || fail "train says $(cat "$work/message")"
head -1 "$work/edges.csv" | grep -q '^source,target,probability' || fail "discover wrote no edges"
bash -c "source $root/usr/share/bash-completion/completions/causcale && complete -p causcale" >/dev/null
gzip -dc "$root/usr/share/man/man1/causcale.1.gz" | grep '^\.SS discover' >/dev/null || fail "the manual page is empty"
package=$root/usr/lib/python3/dist-packages
if [ -d "$package/causcale" ] && /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
  (cd "$work" && env -u PYTHONDONTWRITEBYTECODE -u PYTHONPYCACHEPREFIX PYTHONPATH="$package" /usr/bin/python3 -c 'import causcale; assert any(m["default"] for m in causcale.models()); print("Python package", causcale.__version__)')
  [ -d "$package/causcale/__pycache__" ] || fail "Python wrote no compiled files: their removal cannot be checked"
fi

if [ "$(id -u)" -eq 0 ]; then
  into_root --install "$train"
else
  dpkg-deb --extract "$train" "$root"
fi
"$causcale" info | grep -q '^libtorch  *[0-9]' || fail "the training library is not found: $("$causcale" info)"

if [ "$(id -u)" -eq 0 ]; then
  into_root --purge causcale-train
  into_root --purge causcale
  left=$(find "$root" -path "$root/var/lib/dpkg" -prune -o \( -type f -o -type l \) -print)
  [ -z "$left" ] || fail "left behind: $left"
  [ ! -e "$root/usr/lib/python3/dist-packages/causcale" ] || fail "the Python package was left behind"
fi
echo "$(basename "$deb"): installs, runs and removes cleanly"
