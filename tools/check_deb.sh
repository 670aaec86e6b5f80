#!/usr/bin/env bash
# Installs a built Debian package into a fresh minimal Debian 12, with the packages it depends on, uses it there, purges
# it and looks for leftovers:
#   tools/check_deb.sh build/release/causcale_0.2.0_amd64.deb [CACHE] [TRAIN]
# Needs root, debootstrap and a Debian mirror (MIRROR=..., else the one of this machine's apt). CACHE is a folder that
# keeps the downloaded packages for the next time. TRAIN is the package causcale-train: it is tried, too, with libtorch.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,6s/^# \?//p' "$0"; exit 2; }
train=${3:+$(realpath "$3")}
deb=$(realpath "$1")
[ "$(id -u)" -eq 0 ] || { echo "check_deb.sh needs root: it makes a chroot" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "debootstrap is missing: apt-get install debootstrap" >&2; exit 1; }
mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m1 '/debian/*$' || true)}
mirror=${mirror:-http://deb.debian.org/debian}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
cache=${2:-$work/cache}
mkdir -p "$cache"
cache=$(realpath "$cache")
fail() { echo "FAILED: $*" >&2; exit 1; }
say() { echo "== $*"; }

# Mounts live in a name space of their own and go with the command, however it ends.
inside() {
  unshare --mount sh -c '
    mount -t proc proc "$1/proc" && mount --bind "$2" "$1/var/cache/apt/archives" && shift 2 &&
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
      chroot "$ROOT" "$@"' sh "$root" "$cache" "$@"
}
export ROOT=$root
install() { inside apt-get install -y -q --no-install-recommends "$@" >"$work/apt.log" 2>&1 || { tail -20 "$work/apt.log"; fail "apt-get install $*"; }; }

say "a minimal Debian 12 from $mirror"
debootstrap --variant=minbase --cache-dir="$cache" bookworm "$root" "$mirror" >"$work/debootstrap.log" 2>&1 ||
  { tail -5 "$work/debootstrap.log"; fail "debootstrap"; }
# Downloads stay in the cache.
echo 'Binary::apt-get::APT::Keep-Downloaded-Packages "true";' >"$root/etc/apt/apt.conf.d/keep"
inside apt-get update -q >/dev/null
install man-db bash-completion
# Paths that name the package, outside what the package manager and man keep about it.
named() { (cd "$root" && find . \( -path ./proc -o -path ./var/lib/dpkg -o -path ./var/cache -o -path ./var/log \) -prune -o -name '*causcale*' -print); }
[ -z "$(named)" ] || fail "the root is not clean: $(named)"

say "the package and what it depends on"
cp "$deb" "$root/tmp/package.deb"
install /tmp/package.deb
rm "$root/tmp/package.deb"
inside dpkg -L causcale >"$work/files"
inside dpkg -l >"$work/packages"
! grep -q libtorch "$work/packages" || fail "the package pulls in libtorch"
echo "$(inside dpkg -l | grep -c '^ii') packages installed; $(wc -l <"$work/files") paths belong to causcale"

say "the program"
sachs=/usr/share/doc/causcale/sachs
inside causcale --version
inside causcale models >"$work/models"
grep -q synthetic "$work/models" || fail "the models are not found"
inside causcale discover $sachs/data.csv --interventions $sachs/interventions.csv --dag --quiet \
  -o /tmp/edges.csv -o /tmp/report.html -o /tmp/graph.svg
[ "$(wc -l <"$root/tmp/edges.csv")" -gt 5 ] || fail "discover found next to nothing"
head -3 "$root/tmp/edges.csv"
inside causcale discover $sachs/data.csv --method fci --quiet -o /tmp/pag.svg
! inside causcale discover $sachs/data.csv --method fci --quiet -o /tmp/pag.png 2>"$work/message" || fail "a PNG without Cairo"
grep -q libcairo2 "$work/message" || fail "a PNG without Cairo: $(cat "$work/message")"
install libcairo2
inside causcale discover $sachs/data.csv --method fci --quiet -o /tmp/pag.png
inside causcale evaluate /tmp/edges.csv $sachs/truth.csv --nodes 11 >/dev/null

say "manual page and completions"
inside man causcale >"$work/manual"
grep -q discover "$work/manual" || fail "man causcale"
words=$(inside bash -c 'source /usr/share/bash-completion/bash_completion; _completion_loader causcale
  COMP_WORDS=(causcale disc) COMP_CWORD=1; _causcale; echo "${COMPREPLY[*]}"')
[ "$words" = discover ] || fail "bash completes 'causcale disc' to '$words'"
[ -s "$root/usr/share/zsh/vendor-completions/_causcale" ] || fail "no completions for zsh"
[ -s "$root/usr/share/fish/vendor_completions.d/causcale.fish" ] || fail "no completions for fish"

if [ -d "$root/usr/lib/python3/dist-packages/causcale" ]; then
  say "the Python package, with what the package recommends for it"
  install python3-numpy python3-pandas python3-networkx
  inside python3 -c "
import causcale
result = causcale.discover(causcale.read('$sachs/data.csv', interventions='$sachs/interventions.csv'), warn=False)
print('Python package', causcale.__version__, repr(result))
result.save('/tmp/python.html')
assert len(result.edges) == result.graph().number_of_edges() > 5
"
  [ -d "$root/usr/lib/python3/dist-packages/causcale/__pycache__" ] || fail "Python wrote no compiled files: their removal cannot be checked"
fi

if [ -n "$train" ]; then
  say "causcale-train, with libtorch"
  cp "$train" "$root/tmp/train.deb"
  install /tmp/train.deb
  inside causcale info | grep -q '^libtorch  *[0-9]' || fail "the training library is not found"
  inside sh -c "head -101 $sachs/data.csv | cut -d, -f1-4 >/tmp/small.csv"
  inside causcale discover /tmp/small.csv --method notears-mlp --quiet -o /tmp/tensors.csv
  inside apt-get purge -y -q causcale-train >"$work/apt.log" 2>&1 || { tail -20 "$work/apt.log"; fail "purge of causcale-train"; }
fi

say "purge"
rm -rf "$root"/tmp/*
inside apt-get purge -y -q causcale >"$work/apt.log" 2>&1 || { tail -20 "$work/apt.log"; fail "purge"; }
[ -z "$(named)" ] || fail "left behind: $(named)"
while read -r path; do
  # Folders may belong to others, too.
  [ ! -e "$root$path" ] || [ -d "$root$path" ] || fail "left behind: $path"
done <"$work/files"
inside ldconfig -p >"$work/libraries"
! grep -q causcale "$work/libraries" || fail "the linker still knows the library"
inside apt-get autoremove --purge -y -q >"$work/apt.log" 2>&1 || fail "autoremove"
inside dpkg -l >"$work/packages"
! grep -q libtorch "$work/packages" || fail "what only causcale needed is still there"
echo "$(basename "$deb"): installs, works and goes without a trace"
