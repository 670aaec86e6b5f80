"""Prints the reference of the Python package as Markdown, from its docstrings and signatures.

Nothing has to be built: the stub stands in for the native module, which is no part of the reference. Needs NumPy.
"""
import inspect
import pathlib
import subprocess
import sys
import types

SOURCE = pathlib.Path(__file__).resolve().parent.parent


def stand_in() -> types.ModuleType:
    """The native module as python/causcale/_native.pyi describes it."""
    stub = SOURCE / "python/causcale/_native.pyi"
    module = types.ModuleType("causcale._native")
    exec(compile(stub.read_text(encoding="utf-8"), str(stub), "exec"), module.__dict__)
    module.version = subprocess.run([SOURCE / "tools/version"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    return module


sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "python"))
sys.modules["causcale._native"] = stand_in()
import causcale  # noqa: E402


def paragraphs(thing: object) -> str:
    return inspect.getdoc(thing) or ""


def signature(name: str, thing: object) -> str:
    try:
        return f"{name}{inspect.signature(thing)}"  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return name


def members(kind: type) -> str:
    text = ""
    for name, member in vars(kind).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            text += f"\n#### {kind.__name__}.{name}\n\n{paragraphs(member)}\n"
        elif callable(getattr(kind, name)):
            function = getattr(kind, name)
            text += f"\n#### {kind.__name__}.{name}\n\n```python\n{signature(name, function)}\n```\n\n{paragraphs(function)}\n"
    return text


def main() -> None:
    print(f"# Python reference\n\nVersion {causcale.__version__}.\n\n```text\n{paragraphs(causcale)}\n```\n")
    things = [(name, getattr(causcale, name)) for name in causcale.__all__]
    print("## Functions\n")
    for name, thing in things:
        if inspect.isfunction(thing):
            print(f"### {name}\n\n```python\n{signature(name, thing)}\n```\n\n{paragraphs(thing)}\n")
    print("## Classes\n")
    for name, thing in things:
        if inspect.isclass(thing):
            print(f"### {name}\n\n{paragraphs(thing)}\n{members(thing)}")


main()
