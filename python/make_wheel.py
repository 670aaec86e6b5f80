"""Packs the installed Python package, the C++ library, its programs and the models into a wheel. Standard library only.

What the library itself links from the system (zlib, the C++ library) is not packed. The training library, the
only part that needs libtorch, is left out.
"""
import argparse
import base64
import hashlib
import pathlib
import subprocess
import sysconfig
import tempfile
import zipfile

SUMMARY = "Neural causal discovery: from a table of observations to a causal graph"
# No timestamps of the build: the same content gives the same wheel.
EPOCH = (1980, 1, 1, 0, 0, 0)


def tag() -> str:
    version = sysconfig.get_config_var("py_version_nodot")
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"cp{version}-cp{version}-{platform}"


def metadata(version: str, readme: str) -> str:
    lines = [
        "Metadata-Version: 2.1",
        "Name: causcale",
        f"Version: {version}",
        f"Summary: {SUMMARY}",
        "License: MIT",
        "Requires-Python: >=3.9",
        "Requires-Dist: numpy",
        "Provides-Extra: all",
        'Requires-Dist: pandas; extra == "all"',
        'Requires-Dist: networkx; extra == "all"',
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + readme


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("build", "python-dir", "library-dir", "version", "cmake", "readme", "output"):
        parser.add_argument(f"--{option}", required=True)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prefix = pathlib.Path(folder)
        subprocess.run(
            [given.cmake, "--install", given.build, "--prefix", folder], check=True, stdout=subprocess.DEVNULL
        )
        output = pathlib.Path(given.output)
        output.mkdir(parents=True, exist_ok=True)
        path = output / f"causcale-{given.version}-{tag()}.whl"
        unfinished = path.with_suffix(".part")
        wheel = Wheel(unfinished)
        for file in sorted((prefix / given.python_dir / "causcale").iterdir()):
            if file.is_file():
                wheel.add(f"causcale/{file.name}", file.read_bytes(), file.suffix == ".so")
        # The one name that the native module asks for; the others are links to it.
        for file in sorted((prefix / given.library_dir).glob("libcauscale.so.*")):
            if file.is_symlink():
                wheel.add(f"causcale/lib/{file.name}", file.read_bytes(), True)
        # Programs that the library starts, from a folder beside it.
        for file in sorted((prefix / given.library_dir / "causcale").glob("causcale-*")):
            wheel.add(f"causcale/lib/causcale/{file.name}", file.read_bytes(), True)
        wheel.add("causcale/bin/causcale", (prefix / "bin/causcale").read_bytes(), True)
        for file in sorted((prefix / "share/causcale/models").iterdir()):
            wheel.add(f"causcale/models/{file.name}", file.read_bytes())
        info = f"causcale-{given.version}.dist-info"
        readme = pathlib.Path(given.readme).read_text(encoding="utf-8")
        wheel.add(f"{info}/METADATA", metadata(given.version, readme).encode())
        wheel.add(
            f"{info}/WHEEL",
            f"Wheel-Version: 1.0\nGenerator: make_wheel.py\nRoot-Is-Purelib: false\nTag: {tag()}\n".encode(),
        )
        wheel.close(f"{info}/RECORD")
        unfinished.rename(path)
    print(path)


if __name__ == "__main__":
    main()
