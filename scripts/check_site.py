#!/usr/bin/env python3
"""scripts/check_site.py FOLDER : every picture, style, script and link of the pages in FOLDER leads to a file that is there.

Prints what leads nowhere, with the pages that name it, and returns 1 if there is anything. Addresses with a host are not
looked up.
"""

import collections
import html.parser
import os
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """The addresses that a page names, and the anchors that it has."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.addresses, self.anchors = set(), set()
        self.feed(text)

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
    for address, names in sorted(found.items()):
        print(f"{address}: leads nowhere; named by {', '.join(names[:3])}{' and others' if len(names) > 3 else ''}")
    print(f"{len(pages)} pages; {len(found)} addresses lead nowhere")
    return 1 if found or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
