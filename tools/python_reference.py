"""Prints the reference of the Python package as Markdown, from its docstrings and signatures."""
import inspect

import causcale


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
