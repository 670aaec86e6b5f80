#!/usr/bin/env bash
# The program has to run where hardly anything is installed: everything that the files given load, directly or not, is
# on this list. Libraries for one purpose are opened when that is asked for (Cairo, libcauscale_train) or belong to a
# program of their own (HDF5).
set -euo pipefail
allowed='^(linux-vdso|ld-linux-[a-z0-9-]*|libcauscale|libz|libstdc\+\+|libgcc_s|libm|libc|libpthread|libdl|librt)\.so'
failed=0
for file in "$@"; do
  loaded=$(ldd "$file" | awk '{print $1}' | sed 's|.*/||')
  count=$(wc -l <<<"$loaded")
  echo "$file: $count libraries"
  [ "$count" -ge 3 ] || { echo "FAILED: ldd shows nothing of $file" >&2; failed=1; }
  if unexpected=$(grep -vE "$allowed" <<<"$loaded"); then
    echo "FAILED: $file needs" $unexpected >&2
    failed=1
  fi
done
exit $failed
