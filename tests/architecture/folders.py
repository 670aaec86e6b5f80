"""The folders of src/ in their order, as src/CMakeLists.txt adds them: the one place that says it."""
from __future__ import annotations

import re
from pathlib import Path
from typing import Dict, NamedTuple

# Programs and bindings stand on top of all folders: they may use everything, and nothing of src/ may use them.
USERS = ("cli", "python", "bench", "fuzz", "tests", "examples")
# Sources of src/ that only programs link, none of which includes another folder (cmake/Portable.cmake).
APART = ("portable",)


class Folder(NamedTuple):
    rank: int
    line: int  # of src/CMakeLists.txt
    tensors: bool  # may use libtorch


def read_folders(root: Path) -> Dict[str, Folder]:
    """Name -> place. A folder that is a program of its own (h5ad_helper) stands where its sources are listed."""
    listing = root / "src" / "CMakeLists.txt"
    folders: Dict[str, Folder] = {}
    for number, text in enumerate(listing.read_text().splitlines(), 1):
        found = re.search(r"causcale_folder\(([\w/]+)(.*)\)|CMAKE_CURRENT_SOURCE_DIR\}/(\w+)/\*\.cpp", text)
        if found:
            name = found[1] or found[3]
            folders[name] = Folder(len(folders), number, "causcale_torch" in (found[2] or ""))
    if not folders:
        raise SystemExit(f"{listing}: no call of causcale_folder found")
    return folders


def folder_of(root: Path, folders: Dict[str, Folder], file: Path) -> str:
    """The folder of src/ that a file belongs to, of two levels where the listing names such (learn/run); "include" for
    the public headers; else the top-level folder.
    """
    parts = file.relative_to(root).parts
    if parts[0] != "src" or len(parts) < 3:
        return parts[0]
    divided = any(name.startswith(parts[1] + "/") for name in folders)
    return "/".join(parts[1:3]) if divided and len(parts) > 3 else parts[1]


def target_of(folder: str) -> str:
    """The target that cmake/Folders.cmake makes of a folder."""
    return "folder_" + folder.replace("/", "_")
