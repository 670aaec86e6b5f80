"""The build backend of pyproject.toml (PEP 517): `pip install .`, `pip wheel .`, `python3 -m build`.

CMake does the work, with the system's packages (tools/setup program, python3-dev, pybind11-dev); nothing is fetched.
Standard library only.
"""
import gzip
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
from typing import Any, Dict, List, Optional

SOURCE = pathlib.Path(__file__).resolve().parent.parent
# What an sdist leaves out: nothing that is built, and no weights beside those that are installed.
LEFT_OUT = (".git/", ".ci/", "build/", "web/node_modules/")
WEIGHTS_LEFT_OUT = re.compile(r"research/.*\.safetensors")


def _version() -> str:
    text = (SOURCE / "include/causcale/version.h").read_text()
    found = re.search(r'CAUSCALE_VERSION "([^"]+)"', text)
    if not found:
        raise SystemExit("include/causcale/version.h does not say CAUSCALE_VERSION")
    return found.group(1)


def _import_make_wheel() -> Any:
    sys.path.insert(0, str(SOURCE / "python"))
    import make_wheel

    return make_wheel


def _check_tools() -> None:
    """pip comes here where no wheel fits, and would show a stack of calls that names no package."""
    compiler = os.environ.get("CXX", "c++").split()[0]
    missing = [name for name in ("cmake", compiler) if shutil.which(name) is None]
    if missing:
        raise SystemExit(
            f"no wheel of CauScale fits this Python and system, and to build one {' and '.join(missing)} is missing. "
            "Debian and Ubuntu have what is needed as cmake g++ python3-dev pybind11-dev libeigen3-dev libfmt-dev "
            "libcli11-dev nlohmann-json3-dev librandom123-dev libfast-float-dev zlib1g-dev libhdf5-dev."
        )


def get_requires_for_build_wheel(config_settings: Optional[Dict[str, Any]] = None) -> List[str]:
    return []


def get_requires_for_build_sdist(config_settings: Optional[Dict[str, Any]] = None) -> List[str]:
    return []


def build_wheel(
    wheel_directory: str,
    config_settings: Optional[Dict[str, Any]] = None,
    metadata_directory: Optional[str] = None,
) -> str:
    """Settings (`pip -C`): build-dir, another build folder; jobs, how many compilers at once."""
    _check_tools()
    settings = config_settings or {}
    build = pathlib.Path(settings.get("build-dir", SOURCE / "build/python")).resolve()
    configure = ["cmake", "-S", str(SOURCE), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release"]
    configure += ["-DCAUSCALE_WITH_TORCH=OFF", "-DCAUSCALE_TESTS=OFF", "-DCAUSCALE_BENCH=OFF"]
    configure += ["-DCAUSCALE_PORTABLE=ON", "-DCAUSCALE_PYTHON=ON", f"-DPython3_EXECUTABLE={sys.executable}"]
    subprocess.run(configure, check=True)
    jobs = str(settings.get("jobs", os.cpu_count() or 2))
    targets = ["causcale_portable", "causcale_portable_python"]
    subprocess.run(["cmake", "--build", str(build), "-j", jobs, "--target", *targets], check=True)
    # Where there is no static HDF5, there is no such target, and reading .h5ad says so.
    listed = subprocess.run(["cmake", "--build", str(build), "--target", "help"], capture_output=True, text=True)
    if "causcale_portable_h5ad" in listed.stdout:
        helper = ["cmake", "--build", str(build), "-j", jobs, "--target", "causcale_portable_h5ad"]
        subprocess.run(helper, check=True)
    return _import_make_wheel().make(build, _version(), pathlib.Path(wheel_directory)).name


def _files() -> List[pathlib.Path]:
    """What git tracks; of an unpacked sdist, everything."""
    if (SOURCE / ".git").exists():
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=SOURCE, check=True, capture_output=True).stdout
        names = [name for name in listed.decode().split("\0") if name]
    else:
        names = [str(file.relative_to(SOURCE)) for file in SOURCE.rglob("*") if file.is_file()]
    kept = [name for name in names if not name.startswith(LEFT_OUT) and "__pycache__" not in name]
    kept = [name for name in kept if not WEIGHTS_LEFT_OUT.fullmatch(name)]
    return [SOURCE / name for name in sorted(kept) if (SOURCE / name).is_file()]


def build_sdist(sdist_directory: str, config_settings: Optional[Dict[str, Any]] = None) -> str:
    root = f"causcale-{_version()}"
    path = pathlib.Path(sdist_directory) / f"{root}.tar.gz"
    metadata = _import_make_wheel().metadata(_version()).encode()

    def add(archive: tarfile.TarFile, name: str, content: bytes, executable: bool = False) -> None:
        entry = tarfile.TarInfo(f"{root}/{name}")
        entry.size = len(content)
        entry.mode = 0o755 if executable else 0o644
        archive.addfile(entry, io.BytesIO(content))

    # Without times and owners: the same content gives the same archive.
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
            add(archive, "PKG-INFO", metadata)
            for source in _files():
                if source.name == "PKG-INFO":
                    continue
                executable = os.access(source, os.X_OK)
                add(archive, str(source.relative_to(SOURCE)), source.read_bytes(), executable)
    return path.name
