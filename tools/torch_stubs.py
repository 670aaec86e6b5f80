#!/usr/bin/env python3
"""Builds the CUDA configuration on a machine without PyTorch, for one that has it.

  tools/torch_stubs.py pack FILE.tar.xz      where PyTorch is: its headers, CMake files and lists of symbols (5 MB)
  tools/torch_stubs.py unpack FILE.tar.xz    where to build: the same in the same folder, with libraries that define
                                             the symbols and do nothing, so that everything links
Afterwards configure with the arguments that `unpack` prints; nvcc of the same CUDA version must be there. The programs
find the real libraries where PyTorch lies on the other machine.
"""
import argparse
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile

LIBRARIES = ("torch", "torch_cpu", "torch_cuda", "torch_cuda_linalg", "c10", "c10_cuda")
EMPTY = ("caffe2_nvrtc", "torch_global_deps", "torch_nvshmem", "shm")  # CMake files of PyTorch ask for them
SYMBOL = re.compile(r"\s*\d+:\s+\S+\s+\S+\s+(\w+)\s+(?:GLOBAL|WEAK|UNIQUE)\s+\w+\s+(\S+)\s+(\S+)")


def symbols(library):
    """(name, kind) of everything that a library defines; kind is FUNC, OBJECT or TLS."""
    listing = subprocess.run(["readelf", "--dyn-syms", "-W", library], check=True, capture_output=True, text=True)
    for line in listing.stdout.splitlines():
        found = SYMBOL.match(line)
        if found and found[2] != "UND":
            yield found[3].split("@")[0], found[1] if found[1] in ("FUNC", "TLS") else "OBJECT"


def pack(target):
    import torch

    folder = os.path.dirname(torch.__file__)
    with tarfile.open(target, "w:xz", preset=2) as archive:
        for part in ("include", "share/cmake"):
            archive.add(os.path.join(folder, part), os.path.join(folder, part).lstrip("/"))
        for name in LIBRARIES:
            file = os.path.join(folder, "lib", f"lib{name}.so")
            if not os.path.exists(file):
                continue
            text = "".join(f"{kind} {symbol}\n" for symbol, kind in symbols(file)).encode()
            entry = tarfile.TarInfo(os.path.join(folder, "lib", f"lib{name}.symbols").lstrip("/"))
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text))


def make_library(target, defined):
    """A shared library that defines (kind, name) and does nothing."""
    lines = [".text"]
    for kind, name in defined:
        if kind == "FUNC":
            lines += [f'.globl "{name}"', f'.type "{name}",@function', f'"{name}":']
    lines += ["ret", ".data"]
    for kind, name in defined:
        if kind == "OBJECT":
            lines += [f'.globl "{name}"', f'.type "{name}",@object', f'.size "{name}",8', f'"{name}":']
    lines += [".quad 0", '.section .tbss,"awT",@nobits']
    for kind, name in defined:
        if kind == "TLS":
            lines += [f'.globl "{name}"', f'.type "{name}",@tls_object', f'.size "{name}",16', f'"{name}":', ".zero 16"]
    with tempfile.NamedTemporaryFile("w", suffix=".s") as source:
        source.write("\n".join(lines) + "\n")
        source.flush()
        name = os.path.basename(target)
        subprocess.run(["gcc", "-shared", "-nostdlib", f"-Wl,-soname,{name}", "-o", target, source.name], check=True)


def unpack(source):
    folder = None
    with tarfile.open(source) as archive:
        for entry in archive.getmembers():
            if entry.name.endswith(".symbols"):
                folder = "/" + os.path.dirname(entry.name)
        if folder is None:
            sys.exit(f"{source}: no lists of symbols in it; make it with: torch_stubs.py pack")
        archive.extractall("/")
    for file in sorted(os.listdir(folder)):
        if file.endswith(".symbols"):
            with open(os.path.join(folder, file)) as text:
                make_library(os.path.join(folder, file[:-8] + ".so"), [line.split(None, 1) for line in text.read().splitlines()])
    for name in EMPTY:
        make_library(os.path.join(folder, f"lib{name}.so"), [])
    print("cmake --preset cuda"
          f" -DCMAKE_PREFIX_PATH={os.path.dirname(folder)}/share/cmake -DTORCH_LIBRARY={folder}/libtorch.so"
          f" -DC10_CUDA_LIBRARY={folder}/libc10_cuda.so"
          # CMake 3.25 does not know how to ask new versions of nvcc for C++20.
          " -DCMAKE_CUDA20_STANDARD_COMPILE_OPTION=-std=c++20 -DCMAKE_CXX_COMPILE_OPTIONS_PIE=-fPIC")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("pack", "unpack"))
    parser.add_argument("file")
    arguments = parser.parse_args()
    (pack if arguments.what == "pack" else unpack)(arguments.file)


if __name__ == "__main__":
    main()
