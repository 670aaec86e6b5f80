"""The wheel holds what it says, and works where it is unpacked."""
import base64
import csv
import hashlib
import io
import os
import pathlib
import subprocess
import sys
import zipfile

import pytest

BUILD = os.environ.get("CAUSCALE_BUILD", "")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    if not (pathlib.Path(BUILD) / "CMakeCache.txt").is_file():
        pytest.skip("CAUSCALE_BUILD does not name a build folder")
    cache = (pathlib.Path(BUILD) / "CMakeCache.txt").read_text()
    setting = dict(
        line.split("=", 1) for line in cache.splitlines() if "=" in line and not line.startswith("#")
    )
    source = pathlib.Path(__file__).resolve().parents[2]
    output = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        str(source / "python/make_wheel.py"),
        "--build",
        BUILD,
        "--output",
        str(output),
    ]
    command += [
        "--python-dir",
        setting["CAUSCALE_PYTHON_DIR:STRING"],
        "--version",
        "0.0.1",
        "--cmake",
        "cmake",
    ]
    libraries = next(value for key, value in setting.items() if key.startswith("CMAKE_INSTALL_LIBDIR:"))
    command += ["--library-dir", libraries, "--readme", str(source / "README.md")]
    subprocess.run(command, check=True)
    return next(output.glob("*.whl"))


def test_record(wheel):
    version = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    assert wheel.name.startswith(f"causcale-0.0.1-{version}-{version}-linux_")
    with zipfile.ZipFile(wheel) as content:
        assert content.testzip() is None
        rows = list(csv.reader(io.StringIO(content.read("causcale-0.0.1.dist-info/RECORD").decode())))
        assert sorted(row[0] for row in rows) == sorted(content.namelist())
        for name, digest, size in rows[:-1]:
            data = content.read(name)
            expected = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert digest == f"sha256={expected}" and int(size) == len(data)
        metadata = content.read("causcale-0.0.1.dist-info/METADATA").decode()
        assert "\nName: causcale\nVersion: 0.0.1\n" in metadata and "\nRequires-Dist: numpy\n" in metadata
        names = set(content.namelist())
        assert {"causcale/py.typed", "causcale/__init__.py", "causcale/models/synthetic.safetensors"} <= names


def test_needs_no_torch(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as content:
        names = content.namelist()
        content.extractall(tmp_path)
    assert not [name for name in names if "train" in pathlib.Path(name).name and name.startswith("causcale/lib")]
    assert "causcale/bin/causcale" in names
    if (pathlib.Path(BUILD) / "lib/causcale/causcale-read-h5ad").is_file():  # where there is HDF5
        assert "causcale/lib/causcale/causcale-read-h5ad" in names
    for name in names:
        if ".so" in name or name.startswith(("causcale/bin/", "causcale/lib/")):
            linked = subprocess.run(["ldd", str(tmp_path / name)], capture_output=True, text=True).stdout
            assert "libtorch" not in linked and "libc10" not in linked, name
    assert "torch" not in wheel_metadata(wheel)


def wheel_metadata(wheel):
    with zipfile.ZipFile(wheel) as content:
        name = next(name for name in content.namelist() if name.endswith("METADATA"))
        return content.read(name).decode().split("\n\n")[0]


def test_works_where_it_is_unpacked(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as content:
        content.extractall(tmp_path)
    program = (
        "import causcale, numpy as np\n"
        "assert causcale.__file__.startswith({0!r}), causcale.__file__\n"
        "assert causcale.models()[0]['path'].startswith({0!r})\n"
        "maps = open('/proc/self/maps').read()\n"
        "assert {0!r} + '/causcale/lib/libcauscale' in maps\n"
        "print(len(causcale.discover(causcale.simulate(nodes=4, rows=50), warn=False).names))\n"
    ).format(str(tmp_path))
    environment = {
        key: value for key, value in os.environ.items() if key not in ("CAUSCALE_MODELS", "LD_LIBRARY_PATH")
    }
    environment["PYTHONPATH"] = str(tmp_path)
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == "4\n", done.stderr
    (tmp_path / "causcale/bin/causcale").chmod(0o755)  # as pip does
    command = [sys.executable, "-m", "causcale", "--version"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout, done.stderr
