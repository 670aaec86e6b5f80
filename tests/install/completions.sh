#!/usr/bin/env bash
# The completion scripts and the manual page that the program prints, tried in the shells that are there.
set -euo pipefail
causcale=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

"$causcale" completions bash >"$work/bash"
# shellcheck disable=SC1091
source "$work/bash"
completes() { # EXPECTED WORDS...: the last word is the one under the cursor
  local expected=$1
  shift
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _causcale
  [ "${COMPREPLY[*]}" = "$expected" ] || fail "bash: '$*' gives '${COMPREPLY[*]}', not '$expected'"
}
completes evaluate causcale eva
completes --threshold causcale evaluate --thres
completes "synthetic sergio" causcale simulate s
completes --profile causcale simulate sergio --prof
completes "error drop mean keep" causcale audit data.csv --missing ""
completes "" causcale nonsense

"$causcale" completions zsh >"$work/_causcale"
head -1 "$work/_causcale" | grep -q '^#compdef causcale$' || fail "zsh: the first line"
if command -v zsh >/dev/null; then zsh -n "$work/_causcale"; else echo "zsh is not here: not tried"; fi

"$causcale" completions fish >"$work/causcale.fish"
if command -v fish >/dev/null; then
  found=$(HOME=$work fish -c "source $work/causcale.fish; complete -C 'causcale simulate s'" | cut -f1 | tr '\n' ' ')
  [[ $found == *synthetic* && $found == *sergio* ]] || fail "fish: 'causcale simulate s' gives '$found'"
else
  echo "fish is not here: not tried"
fi

# Every command and every long option of --help is in the manual page, and roff has no complaints.
"$causcale" manpage >"$work/causcale.1"
sed 's/\\-/-/g; s/\\f.//g' "$work/causcale.1" >"$work/plain"
"$causcale" evaluate --help | grep -o -- '--[a-z][a-z-]*' | sort -u | while read -r option; do
  grep -q -- "$option" "$work/plain" || fail "the manual page lacks $option of evaluate"
done
if command -v groff >/dev/null; then
  complaints=$(groff -man -Tutf8 -ww "$work/causcale.1" 2>&1 >/dev/null | grep -v "can't break line\|cannot adjust\|can't find" || true)
  [ -z "$complaints" ] || fail "groff: $complaints"
fi
if "$causcale" --help | grep -q completions; then fail "the command 'completions' is not hidden"; fi
if "$causcale" completions tcsh 2>"$work/error"; then fail "an unknown shell is accepted"; fi
grep -q tcsh "$work/error" || fail "the error does not name the shell"
echo "completions and manual page: fine"
