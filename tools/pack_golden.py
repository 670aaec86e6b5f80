#!/usr/bin/env python3
"""Packs the compact selection of the reference numbers that every clone carries.

    tools/pack_golden.py REFERENCE_FOLDER

writes tests/golden/reference.zip. Paths inside are those below the reference folder. The archive is reproducible:
sorted names, fixed time stamps.
"""
import fnmatch
import pathlib
import sys
import zipfile

SELECTION = [
    "README.md",
    "model/manifest.json",
    "model/tiny/*",
    "model/deep_odd/*",
    "model/batch_padded/data.npy",
    "model/batch_padded/interv.npy",
    "model/batch_padded/prior.npy",
    "model/batch_padded/dag.npy",
    "model/batch_padded/logits_f64_0.npy",
    "model/small/params/*",
    "model/small/*.npy",
    "model/small/parameter_order.txt",
    "prior/*",
    "metrics/*",
    "aid/*",
    "sergio/*",
    "synthetic/index.json",
    "synthetic/er_n10_*",
    "synthetic/er_n20_*_g0_*",
    "synthetic/er_n20_deg2_sigmoid_add_g1_*",
    "synthetic/sf_n100_deg4_linear_g*_dag.npy",
    "synthetic/er_n100_deg4_linear_g0_*",
    "synthetic/er_n100_deg4_nn_g0_*",
]
LEFT_OUT = ["model/small/blocks/block_0[0-5]_data.npy", "model/small/blocks/block_0[0-4]_graph.npy",
            "model/small/grads_flat.npy", "aid/snapshots/*"]
LIMIT = 6 * 1000 * 1000


def main():
    reference = pathlib.Path(sys.argv[1])
    files = {}
    for path in reference.rglob("*"):
        name = path.relative_to(reference).as_posix()
        if path.is_file() and any(fnmatch.fnmatch(name, p) for p in SELECTION) \
                and not any(fnmatch.fnmatch(name, p) for p in LEFT_OUT):
            files[name] = path
    target = pathlib.Path(__file__).parent.parent / "tests" / "golden" / "reference.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, files[name].read_bytes(), compresslevel=9)
    size = target.stat().st_size
    print(f"{target}: {len(files)} files, {size / 1e6:.2f} MB")
    if size > LIMIT:
        sys.exit(f"over the limit of {LIMIT / 1e6:.0f} MB")


main()
