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
# Of lines "version name" those beyond the limit; with `newest`, the highest version instead.
compare() {
  awk -v limit="$limit" -v what="$1" '
    function number(text, part) { split(text, part, "."); return part[1] * 1000000 + part[2] * 1000 + part[3] }
    what == "newer" && number($1) > number(limit)
    what == "newest" && number($1) > number(best) { best = $1 }
    END { if (what == "newest") print best }'
}
for file in "$@"; do
  header=$(objdump -p "$file")
  if ! grep -q NEEDED <<<"$header"; then
    echo "$file: needs no library at all"
    continue
  fi
  while read -r library; do
    [[ $library =~ $allowed ]] || complain "$file needs $library"
  done < <(awk '/NEEDED/ {print $2}' <<<"$header")
  symbols=$(objdump -T "$file" | sed -nE 's/.*\*UND\*.*GLIBC_([0-9.]+)\)? +([^ ]+)$/\1 \2/p')
  while read -r version name; do
    complain "$file needs $name of glibc $version"
  done < <(compare newer <<<"$symbols")
  # What the loader refuses even where the symbol is weak.
  while read -r version; do
    complain "$file asks for glibc $version as a whole"
  done < <(sed -nE 's/.* GLIBC_([0-9.]+)$/\1/p' <<<"$header" | compare newer)
  others=$(grep -oE '(GLIBC_PRIVATE|GLIBC_ABI_DT_RELR|GLIBCXX_|CXXABI_)[^ ]*' <<<"$header" | sort -u | tr '\n' ' ' || true)
  [ -z "$others" ] || complain "$file needs $others"
  [ $failed -ne 0 ] || echo "$file: glibc $(compare newest <<<"$symbols") or later"
done
exit $failed
