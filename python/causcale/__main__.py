"""``python -m causcale ...``: the command-line program."""
import os
import pathlib
import shutil
import sys
from typing import Optional


def find_program() -> Optional[str]:
    """Inside the package (a wheel), in bin/ of the prefix or build folder that holds it, or on the PATH."""
    package = pathlib.Path(__file__).resolve().parent
    beside = [package / "bin", *(folder / "bin" for folder in list(package.parents)[:5])]
    for folder in beside:
        program = folder / "causcale"
        if program.is_file() and os.access(program, os.X_OK):
            return str(program)
    return shutil.which("causcale")


def main() -> None:
    program = find_program()
    if program is None:
        sys.exit(
            "python -m causcale: the program `causcale` is neither beside the package nor on the PATH; build it with "
            "`cmake --build build/release --target causcale_cli`, or install CauScale"
        )
    os.execv(program, ["causcale", *sys.argv[1:]])


if __name__ == "__main__":
    main()
