"""filter.py FILE : Markdown as GitHub takes it, written as Doxygen takes it.

Formulas between $` and `$ or in blocks "math", pictures by their name alone (IMAGE_PATH), headings of elements, of their parts
and of the gallery with labels, to which links between these pages lead, and what the README of a folder lists as its subpages.
"""

import os
import re
import sys

LABELS = {"planar": "element", "spatial": "element", "coordinate": "element", "network": "element", "parts": "part",
          "gallery": "gallery"}


def reference(link):
    text, page = link.groups()
    return f'@ref {LABELS[page]}_{text} "{text}"'


def contents(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def subpage(link):
    label = re.match(r"# .* \{#(\w+)\}", contents(os.path.join(os.path.dirname(sys.argv[1]), link.group(1))))
    return f"@subpage {label.group(1)}"


text = contents(sys.argv[1])
page = re.fullmatch(r".*?(?:(?<=elements)/(\w+)|/(gallery))\.md", sys.argv[1])
label = LABELS.get(next(filter(None, page.groups()))) if page else None
if label:
    text = re.sub(r"^## (\w+)$", rf"## \1 {{#{label}_\1}}", text, flags=re.M)
text = re.sub(r"^```math\n(.*?)^```$", r"\\f[\n\1\\f]", text, flags=re.M | re.S)
text = re.sub(r"\$`([^`]*)`\$", r"\\f$\1\\f$", text)
text = re.sub(r"!\[([^\]]*)\]\((?:\.\./)*(?:docs/)?pictures/", r"![\1](", text)
text = re.sub(rf"\[(\w+)\]\((?:\.\./)*(?:elements/)?({'|'.join(LABELS)})\.md#\w+\)", reference, text)
if os.path.basename(sys.argv[1]) == "README.md":
    text = re.sub(r"\[[^\]]+\]\(([\w-]+\.md)\)", subpage, text)
sys.stdout.write(text)
