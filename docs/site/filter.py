"""filter.py FILE : Markdown as GitHub takes it, written as Doxygen takes it.

Formulas between $` and `$ or in blocks "math", pictures by their name alone (IMAGE_PATH), and headings of elements, of their
parts and of the gallery with labels, to which links between these pages lead.
"""

import re
import sys

LABELS = {"planar": "element", "spatial": "element", "coordinate": "element", "network": "element", "parts": "part",
          "gallery": "gallery"}


def reference(link):
    text, page = link.groups()
    return f'@ref {LABELS[page]}_{text} "{text}"'


with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
page = re.fullmatch(r".*?(?:(?<=elements)/(\w+)|/(gallery))\.md", sys.argv[1])
label = LABELS.get(next(filter(None, page.groups()))) if page else None
if label:
    text = re.sub(r"^## (\w+)$", rf"## \1 {{#{label}_\1}}", text, flags=re.M)
text = re.sub(r"^```math\n(.*?)^```$", r"\\f[\n\1\\f]", text, flags=re.M | re.S)
text = re.sub(r"\$`([^`]*)`\$", r"\\f$\1\\f$", text)
text = re.sub(r"!\[([^\]]*)\]\((?:\.\./)*(?:docs/)?pictures/", r"![\1](", text)
text = re.sub(rf"\[(\w+)\]\((?:\.\./)*(?:elements/)?({'|'.join(LABELS)})\.md#\w+\)", reference, text)
sys.stdout.write(text)
