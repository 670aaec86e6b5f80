"""wheel_check.py FOLDER: uses the installed Python package as its users do, with NumPy and the standard library alone.

FOLDER holds data.csv and interventions.csv. The same bits come from the main thread, from threads, from forked and from
spawned processes and, where PyTorch is installed, beside it; `python -m causcale serve` delivers page and weights and
answers the API.
"""
import hashlib
import json
import multiprocessing
import pathlib
import subprocess
import sys
import threading
import time
import urllib.request

try:
    import torch  # before causcale: both bring a C++ library of their own
except ImportError:
    torch = None

import numpy

import causcale

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")


def answer(_=None):
    table = causcale.read(str(FOLDER / "data.csv"), interventions=str(FOLDER / "interventions.csv"))
    result = causcale.discover(table, max_samples=300, views=1, warn=False)
    return hashlib.sha256(numpy.ascontiguousarray(result.probabilities).tobytes()).hexdigest()


def in_threads():
    found = []
    threads = [threading.Thread(target=lambda: found.append(answer())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def in_processes(method):
    with multiprocessing.get_context(method).Pool(2) as pool:
        return pool.map(answer, range(2))


def fetch(url, body=None):
    request = urllib.request.Request(url, data=body and json.dumps(body).encode(), headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=120) as reply:
        return reply.read()


def served():
    server = subprocess.Popen([sys.executable, "-m", "causcale", "serve", "--port", "0", "-q"], stdout=subprocess.PIPE, text=True)
    try:
        url = server.stdout.readline().strip()
        page = fetch(url)
        parts = json.loads(fetch(url + "manifest.json"))
        weights = fetch(url + parts["model"]["file"])
        assert b"CauScale" in page and hashlib.sha256(weights).hexdigest() == parts["model"]["sha256"]
        lines = (FOLDER / "data.csv").read_text().splitlines(keepends=True)
        job = json.loads(fetch(url + "api/v1/jobs", {"name": "data.csv", "table": "".join(lines[:201])}))
        for _ in range(600):
            state = json.loads(fetch(url + "api/v1/jobs/" + job["id"]))
            if state["state"] not in ("queued", "running"):
                break
            time.sleep(0.1)
        assert state["state"] == "done", state
        assert fetch(url + "api/v1/jobs/" + job["id"] + "/result?format=csv").startswith(b"source,target,probability")
    finally:
        server.terminate()
        server.wait(30)


def main():
    first = answer()
    assert in_threads() == [first] * 2, "threads"
    assert in_processes("fork") == [first] * 2, "forked processes"
    assert in_processes("spawn") == [first] * 2, "spawned processes"
    beside = ""
    if torch is not None:
        product = torch.ones(64, 64) @ torch.ones(64, 64)
        assert float(product[0, 0]) == 64 and answer() == first, "beside PyTorch"
        beside = f", beside PyTorch {torch.__version__}"
    served()
    assert causcale.discover.__doc__ and causcale.read.__doc__
    assert (pathlib.Path(causcale.__file__).parent / "py.typed").exists()
    print(f"wheel {causcale.__version__} at {pathlib.Path(causcale.__file__).parent}: threads, fork, spawn, serve{beside}: the same bits")


if __name__ == "__main__":
    main()
