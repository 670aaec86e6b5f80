"""What `nm` says of the objects of a build."""
from __future__ import annotations

import re
import subprocess
from pathlib import Path

STRONG = "TDBRGSA"  # kinds of definitions of which there is one; inline functions are in every object


def symbols_of(objects):
    """(object, kind, symbol) of every global symbol."""
    printed = subprocess.run(["nm", "--print-file-name", "--extern-only", "--no-sort", *map(str, objects)],
                             capture_output=True, text=True, check=True).stdout
    for line in printed.splitlines():
        place, _, rest = line.rpartition(":")
        words = rest.split()
        yield Path(place), words[-2], words[-1]


def source_of(target: Path, file: Path) -> str:
    """The source of an object: CMake keeps its path below the folder of the CMakeLists.txt."""
    return "src/" + re.sub(r"\.o$", "", file.relative_to(target).as_posix())


def current_objects(root: Path, target: Path):
    """Without those of sources that are gone. What the build itself wrote has no folder."""
    return [file for file in sorted(target.rglob("*.o"))
            if file.parent == target or (root / source_of(target, file)).exists()]
