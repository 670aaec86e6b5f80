#!/usr/bin/env python3
"""load_check.py PROGRAM [CLIENTS] [JOBS]: a hundred clients at once against `causcale serve` as it is installed.

Real tables and the real network. Every job that was accepted is done, with the answer of its own table; what does not fit
is refused with a clear 413 or 429; wrong tables get the program's own words; clients that hang up in the middle harm
nobody. Every answer is one that docs/openapi.yaml describes. Memory stays within a bound, and nothing stays behind: no
job, no file. Prints what was counted.
"""
import collections
import http.client
import json
import os
import pathlib
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time

PROGRAM = sys.argv[1]
CLIENTS = int(sys.argv[2]) if len(sys.argv) > 2 else 100
JOBS = int(sys.argv[3]) if len(sys.argv) > 3 else 2
SOURCE = pathlib.Path(__file__).resolve().parents[2]
WORKERS, QUEUE, MOST_BODY, MOST_MEMORY = 2, 20, 64 * 1024, 2**30
TABLES = 5


def table(seed, rows=30):
    draw = random.Random(seed)
    lines = ["a%d,b%d,c%d" % (seed, seed, seed)]
    for _ in range(rows):
        a = draw.gauss(0, 1)
        b = a + draw.gauss(0, 0.5)
        lines.append("%.4f,%.4f,%.4f" % (a, b, b - draw.gauss(0, 1)))
    return "\n".join(lines) + "\n"


WRONG = {"ragged.csv": "a,b\n1,2\n3\n", "twice.csv": "a,a\n1,2\n3,4\n", "infinite.csv": "a,b\n1,2\n3,inf\n", "alone.csv": "a\n1\n2\n"}


class Server:
    def __init__(self, folder):
        environment = dict(os.environ, TMPDIR=str(folder / "tmp"), HOME=str(folder / "home"))
        environment.pop("XDG_DATA_HOME", None)
        for name in ("tmp", "home", "work"):
            (folder / name).mkdir()
        options = ["--port", "0", "-q", "--no-page", "--workers", str(WORKERS), "--queue", str(QUEUE), "--threads", "1"]
        options += ["--max-body", str(MOST_BODY), "--connections", str(CLIENTS + 40)]
        self.process = subprocess.Popen(
            [PROGRAM, "serve", *options], stdout=subprocess.PIPE, text=True, cwd=folder / "work", env=environment
        )
        line = self.process.stdout.readline().strip()
        self.port = int(line.rstrip("/").rpartition(":")[2])

    def status(self, key):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in text.splitlines() if line.startswith(key + ":"))


class Described:
    """The answers that docs/openapi.yaml knows; anything goes where PyYAML is missing."""

    def __init__(self):
        try:
            import yaml
        except ImportError:
            self.document = None
            return
        self.document = yaml.safe_load((SOURCE / "docs/openapi.yaml").read_text())
        schemas = self.document["components"]["schemas"]
        self.kinds = schemas["ErrorText"]["properties"]["kind"]["enum"]
        self.others = self.document["components"]["responses"]["Refused"]["description"]
        self.job = set(schemas["Job"]["properties"])
        self.accepted = set(schemas["Accepted"]["properties"])

    def faults(self, method, path, status, body):
        if self.document is None:
            return []
        parts = path.split("?")[0].split("/")[1:]
        name = {1: "/jobs", 2: "/jobs/{id}", 3: "/jobs/{id}/result"}[len(parts)]
        answers = self.document["paths"][name][method.lower()]["responses"]
        if str(status) not in answers and f"{status} " not in self.others:
            return [f"{method} {name} answers {status}, which docs/openapi.yaml does not know"]
        if status >= 400:
            error = json.loads(body)["error"]
            return [] if error["kind"] in self.kinds and error["message"] else [f"{status}: {body}"]
        keys = {("POST", "/jobs"): self.accepted, ("GET", "/jobs/{id}"): self.job}.get((method, name))
        return [f"{name}: unknown keys in {body}"] if keys is not None and not set(json.loads(body)) <= keys else []


class Load:
    def __init__(self, server):
        self.server = server
        self.described = Described()
        self.count = collections.Counter()
        self.faults = []
        self.answers = collections.defaultdict(set)  # by table: what was found
        self.words = collections.defaultdict(set)  # by wrong table: what was said
        self.lock = threading.Lock()

    def ask(self, connection, method, path, body=None):
        headers = {"Content-Type": "application/json"} if body is not None else {}
        connection.request(method, "/api/v1" + path, body=body, headers=headers)
        reply = connection.getresponse()
        text = reply.read().decode()
        with self.lock:
            self.count[reply.status] += 1
            self.faults += self.described.faults(method, path, reply.status, text)
            if reply.status == 429 and not reply.getheader("Retry-After"):
                self.faults.append("429 without Retry-After")
        return reply.status, text

    def job(self, connection, name, text):
        """Posts until there is room; waits; gives the last state and, of what is done, the result."""
        body = json.dumps({"name": name, "table": text, "options": {"views": 1}})
        while True:
            status, answer = self.ask(connection, "POST", "/jobs", body)
            if status != 429:
                break
            time.sleep(0.05 + 0.1 * random.random())
        assert status == 202, (status, answer)
        path = "/jobs/" + json.loads(answer)["id"]
        with self.lock:
            self.count["accepted"] += 1
        while True:
            status, answer = self.ask(connection, "GET", path)
            assert status == 200, (status, answer)
            state = json.loads(answer)
            if state["state"] not in ("queued", "running"):
                break
            time.sleep(0.05)
        result = self.ask(connection, "GET", path + "/result?format=csv")[1] if state["state"] == "done" else None
        assert self.ask(connection, "DELETE", path)[0] == 204
        return state, result

    def client(self, number):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=600)
            for k in range(JOBS):
                seed = (number + k) % TABLES
                state, result = self.job(connection, f"table{seed}.csv", table(seed))
                assert state["state"] == "done", state
                with self.lock:
                    self.answers[seed].add(result)
                    self.count["done"] += 1
            if number % 5 == 0:  # more than fits
                status, answer = self.ask(connection, "POST", "/jobs", json.dumps({"table": "1,2\n" * MOST_BODY}))
                assert status == 413 and "at most" in answer or str(MOST_BODY) in answer, (status, answer)
            if number % 5 == 1:  # hangs up
                with socket.create_connection(("127.0.0.1", self.server.port)) as half:
                    half.sendall(b"POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{")
            if number % 5 == 2:
                connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=600)
                name = sorted(WRONG)[number // 5 % len(WRONG)]
                state, _ = self.job(connection, name, WRONG[name])
                assert state["state"] == "failed", state
                with self.lock:
                    self.words[name].add(state["error"]["message"])
                    self.count["failed as it should"] += 1
        except Exception as error:
            with self.lock:
                self.faults.append(f"client {number}: {type(error).__name__} {error}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        server = Server(folder)
        try:
            load = Load(server)
            first = http.client.HTTPConnection("127.0.0.1", server.port, timeout=600)
            load.job(first, "warm.csv", table(0))  # the model is loaded now
            before, begin = server.status("VmRSS"), time.time()
            threads = [threading.Thread(target=load.client, args=(number,)) for number in range(CLIENTS)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            seconds = time.time() - begin
            most, after = server.status("VmHWM"), server.status("VmRSS")
            assert not load.faults, "\n".join(load.faults[:10])
            assert load.count["done"] == CLIENTS * JOBS, load.count
            for seed, found in load.answers.items():
                assert len(found) == 1 and f"a{seed}" in next(iter(found)), f"table {seed} has {len(found)} answers"
            for name, said in load.words.items():
                (folder / "work" / name).write_text(WRONG[name])
                program = subprocess.run([PROGRAM, "discover", name, "-q", "-o", "-"], cwd=folder / "work", capture_output=True, text=True)
                (folder / "work" / name).unlink()
                assert said == {program.stderr.strip().removeprefix("causcale: ")}, (said, program.stderr)
            assert most * 1024 < MOST_MEMORY, f"{most} kB"
            left = [str(path) for path in folder.rglob("*") if path.is_file()]
            assert not left, left
            said = {str(key): number for key, number in sorted(load.count.items(), key=str)}
            print(f"{CLIENTS} clients, {seconds:.1f} s: {said}")
            print(f"memory: {before // 1024} MiB with the model loaded, at most {most // 1024} MiB, {after // 1024} MiB at the end; no file left")
        finally:
            server.process.terminate()
            assert server.process.wait(60) == 0


main()
