"""Packs the portable native module, the package, the program and the models of a build folder into a wheel.

Standard library only. What is packed needs nothing of the system but glibc and libgcc_s; tools/check_symbols.sh
says whether that is so, and with it the wheel is of manylinux_2_28, otherwise of this Linux alone. The module is
of one version of Python (pybind11 has no stable interface to it), so is the wheel.
"""
import argparse
import base64
import hashlib
import json
import pathlib
import re
import subprocess
import zipfile
from typing import List, Optional

SUMMARY = "Neural causal discovery: from a table of observations to a causal graph"
SOURCE = pathlib.Path(__file__).resolve().parent.parent
GLIBC = "2.28"
# No timestamps of the build: the same content gives the same wheel.
EPOCH = (1980, 1, 1, 0, 0, 0)


def tag_of(module: pathlib.Path, portable: bool) -> str:
    """From the module's name, which may be for another processor than this one."""
    found = re.fullmatch(r"_native\.cpython-(\d+)-(x86_64|aarch64)-linux-gnu\.so", module.name)
    if not found:
        raise SystemExit(f"{module.name}: not the name of a module for Linux on x86_64 or aarch64")
    python, machine = found.groups()
    platform = f"manylinux_{GLIBC.replace('.', '_')}_{machine}" if portable else f"linux_{machine}"
    return f"cp{python}-cp{python}-{platform}"


def metadata(version: str) -> str:
    lines = [
        "Metadata-Version: 2.1",
        "Name: causcale",
        f"Version: {version}",
        f"Summary: {SUMMARY}",
        "License: MIT",
        "Keywords: causal discovery,structure learning,gene regulatory networks",
        "Classifier: License :: OSI Approved :: MIT License",
        "Classifier: Operating System :: POSIX :: Linux",
        "Classifier: Programming Language :: C++",
        "Classifier: Topic :: Scientific/Engineering",
        "Classifier: Typing :: Typed",
        "Requires-Python: >=3.9",
        "Requires-Dist: numpy",
        "Provides-Extra: all",
        'Requires-Dist: pandas; extra == "all"',
        'Requires-Dist: networkx; extra == "all"',
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + (SOURCE / "README.md").read_text(encoding="utf-8")


class Wheel:
    def __init__(self, path: pathlib.Path) -> None:
        self._zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self._record = []

    def add(self, name: str, content: bytes, executable: bool = False) -> None:
        entry = zipfile.ZipInfo(name, EPOCH)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o100755 if executable else 0o100644) << 16
        self._zip.writestr(entry, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self._record.append(f"{name},sha256={digest},{len(content)}")

    def close(self, record: str) -> None:
        text = "\n".join([*self._record, f"{record},,"]) + "\n"
        self._zip.writestr(zipfile.ZipInfo(record, EPOCH), text)
        self._zip.close()


def page_files(page: pathlib.Path) -> List[pathlib.Path]:
    """Of the page for browsers (make page), without its weights, which are the model's; none where it was not built."""
    if not (page / "index.html").is_file():
        print("the page for browsers is left out: it was not built (make page)")
        return []
    weights = json.loads((page / "manifest.json").read_text())["model"]
    model = SOURCE / "models" / weights["file"]
    if hashlib.sha256(model.read_bytes()).hexdigest() != weights["sha256"]:
        raise SystemExit(f"{page}: made for another {weights['file']} than {model}; make it anew (make page)")
    return sorted(file for file in page.iterdir() if file.name != weights["file"])


def make(
    build: pathlib.Path, version: str, output: pathlib.Path, module_build: Optional[pathlib.Path] = None
) -> pathlib.Path:
    """`module_build`: another build folder, for another Python, whose module is taken instead."""
    portable = build / "portable"
    folder = (module_build or build) / "portable/python/causcale"
    modules = list(folder.glob("_native.*.so"))
    if len(modules) != 1:
        raise SystemExit(f"{folder} has {len(modules)} native modules instead of one")
    helpers = sorted((portable / "lib/causcale").glob("causcale-*"))
    programs = [*modules, *helpers, portable / "bin/causcale"]
    check = [str(SOURCE / "tools/check_symbols.sh"), "--glibc", GLIBC, *map(str, programs)]
    checked = subprocess.run(check, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if checked.returncode != 0:
        print(checked.stdout + f"the wheel is for this system alone, not of manylinux_{GLIBC.replace('.', '_')}")
    tag = tag_of(modules[0], checked.returncode == 0)

    output.mkdir(parents=True, exist_ok=True)
    path = output / f"causcale-{version}-{tag}.whl"
    unfinished = path.with_suffix(".part")
    wheel = Wheel(unfinished)
    package = SOURCE / "python/causcale"
    for file in sorted([*package.glob("*.py"), *package.glob("*.pyi"), package / "py.typed"]):
        wheel.add(f"causcale/{file.name}", file.read_bytes())
    wheel.add(f"causcale/{modules[0].name}", modules[0].read_bytes(), True)
    # Where the module and the program look for it.
    for file in helpers:
        wheel.add(f"causcale/lib/causcale/{file.name}", file.read_bytes(), True)
    wheel.add("causcale/bin/causcale", (portable / "bin/causcale").read_bytes(), True)
    for file in sorted((SOURCE / "models").iterdir()):
        wheel.add(f"causcale/models/{file.name}", file.read_bytes())
    for file in page_files(SOURCE / "build/page"):
        wheel.add(f"causcale/page/{file.name}", file.read_bytes())
    info = f"causcale-{version}.dist-info"
    wheel.add(f"{info}/METADATA", metadata(version).encode())
    wheel.add(
        f"{info}/WHEEL",
        f"Wheel-Version: 1.0\nGenerator: make_wheel.py\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
    )
    wheel.add(f"{info}/entry_points.txt", b"[console_scripts]\ncauscale = causcale.__main__:main\n")
    wheel.add(f"{info}/LICENSE", (SOURCE / "LICENSE").read_bytes())
    wheel.add(f"{info}/THIRD_PARTY.md", (SOURCE / "cmake/portable/THIRD_PARTY.md").read_bytes())
    wheel.close(f"{info}/RECORD")
    unfinished.rename(path)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("build", "version", "output"):
        parser.add_argument(f"--{option}", required=True)
    parser.add_argument("--module-build", type=pathlib.Path, help="build folder of the module, for another Python")
    given = parser.parse_args()
    print(make(pathlib.Path(given.build), given.version, pathlib.Path(given.output), given.module_build))


if __name__ == "__main__":
    main()
