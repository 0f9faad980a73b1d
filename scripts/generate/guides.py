#!/usr/bin/env python3
"""Makes a DocC catalog of the guides in docs/.

    guides.py CATALOG.docc

Links between guides become DocC's, links into the rest of the repository become plain text, and pictures are copied.
"""

import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# In the order of the site.
GUIDES = [
    ("Writing and running patches", ["getting-started", "installing", "writing-patches", "runner", "device", "server", "testing-in-the-app", "build-plug-ins", "coming-from-mpaas"]),
    ("Shipping", ["cli", "releasing", "delivery", "operations", "events", "migrating-to-modern-signatures"]),
    ("How it works", ["format", "feed", "design", "performance", "compatibility"]),
]
NAMES = [name for _, names in GUIDES for name in names]
if missing := {page.stem for page in (ROOT / "docs").glob("*.md")} ^ set(NAMES):
    sys.exit(f"guides.py: not in both docs/ and GUIDES: {', '.join(sorted(missing))}")


def slug(heading):
    """A heading's anchor on GitHub."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def anchor(heading):
    """A heading's anchor in DocC."""
    return re.sub(r"[^\w\-]+", "", re.sub(r"[^\w]+", "-", heading.replace("'", ""))).strip("-")


def headings(name):
    text = (ROOT / f"docs/{name}.md").read_text()
    return {slug(plain): anchor(plain) for plain in (h.replace("`", "") for h in re.findall(r"^##+ (.*)$", text, re.M))}


ANCHORS = {name: headings(name) for name in NAMES}


def linked(match, here):
    words, target = match[1], match[2]
    if re.match("https?://", target):
        return match[0]
    file, _, fragment = target.partition("#")
    name = file.removesuffix(".md") if file else here
    if name not in NAMES:
        return words
    place = ANCHORS[name].get(fragment) if fragment else None
    # DocC replaces the words of a link to another page with that page's title, unless they are given.
    return f"[{words}](doc:{name}{'#' + place if place else ''})"


def relinked(text, here):
    """Text without code, with links that DocC can follow."""
    return re.sub(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)", lambda match: linked(match, here), text)


def article(name):
    text = (ROOT / f"docs/{name}.md").read_text()
    text = re.sub(r"<picture>.*?<img alt=\"([^\"]*)\" src=\"([\w-]+)-light\.png\"[^>]*>.*?</picture>", r"![\1](\2)", text, flags=re.S)
    text = re.sub(r"!\[([^\]]*)\]\(([\w.-]+)\)", lambda m: f"![{m[1]}]({m[2]})", text)
    parts = re.split(r"(^(?:    .*\n|\n(?=    ))+|`[^`\n]+`)", text, flags=re.M)  # code stays as it is
    for i in range(0, len(parts), 2):
        parts[i] = relinked(parts[i], name)
    return "".join(parts)


def main():
    catalog = pathlib.Path(sys.argv[1])
    catalog.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        (catalog / f"{name}.md").write_text(article(name))
    about = re.search(r"^# patchpack\n\n(.*?)\n\n", (ROOT / "README.md").read_text(), re.S | re.M)[1]
    topics = "\n".join(f"### {title}\n\n" + "".join(f"- <doc:{name}>\n" for name in names) for title, names in GUIDES)
    (catalog / "Guides.md").write_text(
        f"# Guides\n\n@Metadata {{\n    @TechnologyRoot\n}}\n\n{relinked(about, 'README')}\n\n## Topics\n\n{topics}")
    for picture in (ROOT / "docs").glob("*"):
        if picture.suffix in (".png", ".svg"):
            shutil.copy(picture, catalog / picture.name.replace("-light.", ".").replace("-dark.", "~dark."))


main()
