#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/check_site.py FOLDER : every picture, style, script and link of the pages in FOLDER leads to a file that is there.

Prints what leads nowhere, with the pages that name it, and the pages on which a table or a formula was not recognised as
one. Returns 1 if there is anything. Addresses with a host are not looked up.
"""

import collections
import html.parser
import os
import re
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """The addresses that a page names, the anchors that it has, and what should be a table or a formula in its text."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.addresses, self.anchors, self.text = set(), set(), []
        self.feed(text)
        self.raw = re.findall(r"\|[-\u2014:]+\||\$`|`\$|\\f[\[$]|@(?:sub|)page \w+|@ref \w+", " ".join(self.text))

    def handle_data(self, data):
        self.text.append(data)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.anchors.update(given[key] for key in ("id", "name") if given.get(key))
        wanted = {"a": "href", "area": "href", "link": "href", "img": "src", "script": "src", "iframe": "src",
                  "object": "data"}.get(tag)
        if wanted and given.get(wanted):
            self.addresses.add(given[wanted])


def faults(folder):
    """{address that leads nowhere: pages that name it}."""
    pages = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".html"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                pages[name] = Page(file.read())
    found = collections.defaultdict(list)
    for name, page in pages.items():
        for address in page.addresses:
            parts = urllib.parse.urlsplit(address)
            if parts.scheme or parts.netloc or address == "#nested-classes":  # Doxygen's own, to a list that it leaves out
                continue
            target = urllib.parse.unquote(parts.path) or name
            if not os.path.exists(os.path.join(folder, target)):
                found[address].append(name)
            elif parts.fragment and target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].anchors:
                found[address].append(name)
    return pages, found


def main():
    pages, found = faults(sys.argv[1])
    raw = {name: page.raw for name, page in pages.items() if page.raw}
    for name, texts in raw.items():
        print(f"{name}: shows {texts[0]!r} as it is written")
    for address, names in sorted(found.items()):
        print(f"{address}: leads nowhere; named by {', '.join(names[:3])}{' and others' if len(names) > 3 else ''}")
    print(f"{len(pages)} pages; {len(found)} addresses lead nowhere")
    return 1 if found or raw or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
