#!/usr/bin/env python3
"""site_links.py FOLDER: in the pages of FOLDER, links to files that are not there become plain text.

Pages link to sources, examples and folders of the repository, which a code host shows and a site does not have.
"""
import pathlib
import re
import sys

LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def main() -> None:
    folder = pathlib.Path(sys.argv[1]).resolve()
    for page in folder.rglob("*.md"):
        def replaced(link: "re.Match[str]") -> str:
            picture, text, target, _ = link.groups()
            if "://" in target or target.startswith("mailto:") or (page.parent / target).is_file():
                return link.group(0)
            return text if picture or text.startswith("`") else f"{text} (`{target}`)"

        # Blocks of code stay as they are.
        parts = re.split(r"(^```.*?^```)", page.read_text(encoding="utf-8"), flags=re.S | re.M)
        page.write_text("".join(p if p.startswith("```") else LINK.sub(replaced, p) for p in parts), encoding="utf-8")


main()
