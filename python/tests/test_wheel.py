"""The wheel holds what it says, and works where it is unpacked."""
import base64
import csv
import hashlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import urllib.request
import zipfile

import pytest

BUILD = pathlib.Path(os.environ.get("CAUSCALE_BUILD", ""))
SOURCE = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    if not list((BUILD / "portable/python/causcale").glob("_native.*.so")):
        pytest.skip("CAUSCALE_BUILD does not name a build folder with the portable module")
    output = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, str(SOURCE / "python/make_wheel.py"), "--build", str(BUILD)]
    subprocess.run([*command, "--version", "0.0.1", "--output", str(output)], check=True)
    return next(output.glob("*.whl"))


@pytest.fixture(scope="module")
def unpacked(wheel, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as content:
        content.extractall(folder)
        for entry in content.infolist():  # as pip does
            (folder / entry.filename).chmod(entry.external_attr >> 16)
    return folder


def environment(unpacked):
    own = {key: value for key, value in os.environ.items() if key not in ("CAUSCALE_MODELS", "LD_LIBRARY_PATH")}
    return {**own, "PYTHONPATH": str(unpacked), "XDG_DATA_HOME": str(unpacked / "nobody")}


def run(unpacked, *arguments, **more):
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=environment(unpacked), capture_output=True, text=True, **more)


def test_record(wheel):
    version = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    assert wheel.name.startswith(f"causcale-0.0.1-{version}-{version}-manylinux_2_28_")
    assert wheel.stat().st_size < 100e6
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
        assert "torch" not in metadata.split("\n\n")[0]
        names = set(content.namelist())
        assert {"causcale/py.typed", "causcale/_native.pyi", "causcale/bin/causcale"} <= names
        assert {"causcale/__init__.py", "causcale/models/synthetic.safetensors"} <= names
        assert not [name for name in names if "libcauscale" in name]


def test_needs_glibc_alone(unpacked):
    for file in unpacked.rglob("*"):
        if file.suffix == ".so" or file.parent.name == "bin" or file.name.startswith("causcale-read"):
            linked = subprocess.run(["ldd", str(file)], capture_output=True, text=True).stdout
            for word in ("libstdc++", "libz", "libhdf5", "libtorch", "not found"):
                assert word not in linked, (file, linked)


def test_works_where_it_is_unpacked(unpacked):
    program = (
        "import causcale, numpy as np\n"
        "assert causcale.__file__.startswith({0!r}), causcale.__file__\n"
        "assert causcale.models()[0]['path'].startswith({0!r})\n"
        "assert 'libcauscale' not in open('/proc/self/maps').read()\n"
        "print(len(causcale.discover(causcale.simulate(nodes=4, rows=50), warn=False).names))\n"
    ).format(str(unpacked))
    done = run(unpacked, "-c", program)
    assert done.returncode == 0 and done.stdout == "4\n", done.stderr
    done = run(unpacked, "-m", "causcale", "models", "--json")
    assert done.returncode == 0 and str(unpacked / "causcale/models/general.safetensors") in done.stdout, done.stderr


def test_serves_the_page(unpacked):
    """Its weights are in the wheel once, as the model."""
    if not (SOURCE / "build/page/index.html").is_file():
        pytest.skip("the page for browsers has not been built (make page)")
    page = unpacked / "causcale/page"
    weights = json.loads((page / "manifest.json").read_text())["model"]
    assert not (page / weights["file"]).exists()
    command = [sys.executable, "-m", "causcale", "serve", "--port", "0", "-q"]
    with subprocess.Popen(command, env=environment(unpacked), stdout=subprocess.PIPE, text=True) as server:
        try:
            address = server.stdout.readline().strip()
            with urllib.request.urlopen(address, timeout=60) as answer:
                assert answer.read() == (page / "index.html").read_bytes()
            with urllib.request.urlopen(address + weights["file"], timeout=60) as answer:
                assert hashlib.sha256(answer.read()).hexdigest() == weights["sha256"]
        finally:
            server.terminate()
    assert server.returncode == 0


def test_numpy_is_enough(unpacked):
    """pandas and networkx are asked for by name, and only where they are needed."""
    program = (
        "import sys\n"
        "for name in ('pandas', 'networkx', 'anndata', 'polars', 'torch', 'scipy'): sys.modules[name] = None\n"
        "import causcale\n"
        "result = causcale.discover(causcale.simulate(nodes=4, rows=50).values, warn=False)\n"
        "print(result.probabilities.shape)\n"
        "for what in (lambda: result.edges, result.graph):\n"
        "    try: what()\n"
        "    except ImportError as error: print(error)\n"
    )
    done = run(unpacked, "-c", program)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("(4, 4)\n") and "pandas" in done.stdout and "networkx" in done.stdout, done.stdout


def test_reads_h5ad(unpacked, tmp_path):
    if not (unpacked / "causcale/lib/causcale/causcale-read-h5ad").is_file():
        pytest.skip("built without a static HDF5")
    anndata = pytest.importorskip("anndata")
    import numpy as np

    values = np.random.default_rng(1).normal(size=(40, 3)).astype(np.float32)
    anndata.AnnData(values).write_h5ad(tmp_path / "cells.h5ad")
    done = run(unpacked, "-m", "causcale", "audit", str(tmp_path / "cells.h5ad"), "--json")
    assert done.returncode in (0, 1) and "40" in done.stdout and "cannot be started" not in done.stderr, done.stderr
    code = f"import causcale; print(causcale.read({str(tmp_path / 'cells.h5ad')!r}).values.shape)"
    assert run(unpacked, "-c", code).stdout == "(40, 3)\n"


def test_fork_and_threads(unpacked):
    program = (
        "import concurrent.futures, multiprocessing, numpy as np, causcale\n"
        "table = causcale.simulate(nodes=5, rows=80)\n"
        "def answer(_): return causcale.discover(table, warn=False).probabilities\n"
        "first = answer(0)\n"
        "with concurrent.futures.ThreadPoolExecutor(3) as pool: threads = list(pool.map(answer, range(3)))\n"
        "with multiprocessing.get_context('fork').Pool(2) as pool: processes = pool.map(answer, range(2))\n"
        "print(all(np.array_equal(first, other) for other in [*threads, *processes]))\n"
    )
    done = run(unpacked, "-c", program, timeout=120)
    assert done.stdout == "True\n", done.stderr


@pytest.mark.parametrize("order", ["import torch, causcale", "import causcale, torch"])
def test_beside_torch(unpacked, order):
    pytest.importorskip("torch")
    program = (
        f"{order}\n"
        "product = (torch.ones(300, 300) @ torch.ones(300, 300)).sum().item()\n"
        "found = causcale.discover(causcale.simulate(nodes=4, rows=50), warn=False)\n"
        "try: causcale.read('/does/not/exist.csv')\n"
        "except causcale.InputError: print(product, len(found.names))\n"
    )
    done = run(unpacked, "-c", program)
    assert done.stdout == "27000000.0 4\n", done.stderr


def test_building_without_tools_names_them(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(SOURCE / "python"))
    import build_backend

    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match="cmake and no-compiler is missing.* cmake g\\+\\+ python3-dev"):
        monkeypatch.setenv("CXX", "no-compiler")
        build_backend.build_wheel(str(tmp_path))


def test_sdist(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(SOURCE / "python"))
    import build_backend

    monkeypatch.setattr(build_backend, "_files", lambda: [SOURCE / "CMakeLists.txt", SOURCE / "tools/setup"])
    name = build_backend.build_sdist(str(tmp_path))
    root = name[: -len(".tar.gz")]
    with tarfile.open(tmp_path / name) as archive:
        assert sorted(archive.getnames()) == sorted(f"{root}/{file}" for file in ("PKG-INFO", "CMakeLists.txt", "tools/setup"))
        assert archive.getmember(f"{root}/tools/setup").mode & 0o100
        assert archive.extractfile(f"{root}/PKG-INFO").read().startswith(b"Metadata-Version: 2.1\nName: causcale\n")
