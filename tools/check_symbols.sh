#!/usr/bin/env bash
# Whether programs and libraries run with an older glibc than the one they were built with, as the wheel tag
# manylinux_2_28 promises: every symbol they import is of that version or an earlier one, and no library is needed
# beyond those that every such system has.
#   tools/check_symbols.sh [--glibc 2.28] FILE ...
set -euo pipefail
limit=2.28
if [ "${1:-}" = --glibc ]; then
  limit=$2
  shift 2
fi
[ $# -ge 1 ] || { sed -n '2,5s/^# \?//p' "$0"; exit 2; }
allowed='^(libc|libm|libpthread|libdl|librt|libgcc_s|ld-linux-x86-64|ld-linux-aarch64)\.so(\.[0-9]+)?$'
failed=0
complain() { echo "FAILED: $*" >&2; failed=1; }
for file in "$@"; do
  header=$(objdump -p "$file")
  if ! grep -q NEEDED <<<"$header"; then
    echo "$file: needs no library at all"
    continue
  fi
  while read -r library; do
    [[ $library =~ $allowed ]] || complain "$file needs $library"
  done < <(awk '/NEEDED/ {print $2}' <<<"$header")
  # "GLIBC_2.34" of every imported symbol; also GCC_ of libgcc_s, whose newest here is of 2005.
  newest=0
  while read -r version name; do
    [ "$(printf '%s\n%s\n' "$version" "$limit" | sort -V | tail -1)" = "$limit" ] ||
      complain "$file needs $name of glibc $version"
    newest=$(printf '%s\n%s\n' "$version" "$newest" | sort -V | tail -1)
  done < <(objdump -T "$file" | sed -nE 's/.*\*UND\*.*GLIBC_([0-9.]+)\)? +([^ ]+)$/\1 \2/p' | sort -u)
  # What the loader refuses even where the symbol is weak.
  while read -r version; do
    [ "$(printf '%s\n%s\n' "$version" "$limit" | sort -V | tail -1)" = "$limit" ] ||
      complain "$file asks for glibc $version as a whole"
  done < <(sed -nE 's/.* GLIBC_([0-9.]+)$/\1/p' <<<"$header")
  ! grep -qE 'GLIBC_PRIVATE|GLIBC_ABI_DT_RELR|GLIBCXX_|CXXABI_' <<<"$header" ||
    complain "$file needs $(grep -oE '(GLIBC_PRIVATE|GLIBC_ABI_DT_RELR|GLIBCXX_|CXXABI_)[^ ]*' <<<"$header" | sort -u | tr '\n' ' ')"
  [ $failed -ne 0 ] || echo "$file: glibc $newest or later"
done
exit $failed
