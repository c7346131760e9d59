#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/check_pages.py [--no-screenshots] FOLDER PAGE... : what scripts/check_report.sh looks at, page by page.

Screenshots go into FOLDER. A page may not show `[object`, `undefined`, `NaN` or a lone `null`, and its images must load.
Its facts have values, its charts have curves and different labels at different ticks, and its legends show the lines.
"""

import csv
import json
import os
import re
import subprocess
import sys

WIDTHS = (1280, 400)
# What no reader may see: the texts and titles of the page with such words, images that are not there, facts without a
# value, charts without a curve, ticks with the label of another one, and samples in legends that are no lines.
WRONG_WORDS = r"""
function wrongWords() {
  const wrong = /\[object|\bundefined\b|\bNaN\b|^null$/, found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode.data.trim();
    if (!texts.currentNode.parentElement.closest("script, style, noscript") && wrong.test(text)) found.push(text.slice(0, 60));
  }
  for (const node of document.body.querySelectorAll("*"))
    for (const name of ["title", "aria-label", "value", "style"])
      if (wrong.test(node.getAttribute(name) || "")) found.push(name + "=" + node.getAttribute(name).slice(0, 60));
  for (const image of document.images) if (!image.complete || image.naturalWidth === 0) found.push("image " + image.src.slice(0, 60));
  for (const fact of document.querySelectorAll(".facts > div")) {
    const [name, value] = [fact.firstChild.textContent, fact.textContent.slice(fact.firstChild.textContent.length).trim()];
    if (value === "" || /^[-–]( |$)/.test(value)) found.push("fact without a value: " + name.slice(0, 60));
  }
  for (const chart of typeof charts === "undefined" ? [] : charts) {
    const title = chart.card.textContent.slice(0, 40), curves = chart.u.data.slice(1);
    if (curves.every(y => y.every(v => v === null || v === undefined))) found.push("chart without a curve: " + title);
    for (const axis of chart.u.axes) {
      const labels = (axis._values || []).filter(Boolean);
      if (new Set(labels).size < labels.length) found.push("ticks with the same label: " + title + " " + labels.join(" "));
    }
    for (const row of [...chart.u.root.querySelectorAll(".u-legend .u-series")].slice(1))
      if (!["2px", "7px"].includes(row.querySelector(".u-marker").style.height)) found.push("legend without a line: " + title);
  }
  return found.join("; ");
}"""


def browser(url, *arguments):
    command = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
               "--enable-logging=stderr", "--virtual-time-budget=20000", *arguments, url]
    return subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)


def console(result):
    return [line for line in result.stderr.splitlines() if "CONSOLE" in line or "Uncaught" in line]


def probe(page, width, folder):
    """The page in a frame of this width (a window may not be so narrow), with what it found about itself."""
    text = open(page, encoding="utf-8").read()
    ask = ("<script>setTimeout(() => { const d = document.documentElement.dataset; d.cut = cutElements().join(' '); "
           "d.wide = document.documentElement.scrollWidth; d.wrong = wrongWords(); }, 6000);" + WRONG_WORDS + "</script>")
    inner = os.path.join(folder, "probe_inner.html")
    with open(inner, "w", encoding="utf-8") as file:
        file.write(text.replace("</body>", ask + "</body>"))
    outer = os.path.join(folder, "probe.html")
    with open(outer, "w", encoding="utf-8") as file:
        file.write(f"<body style='margin:0'><iframe id=f src='probe_inner.html' style='border:0;width:{width}px;height:900px'>"
                   "</iframe><script>setTimeout(() => { const d = f.contentDocument.documentElement; "
                   "for (const name of ['cut', 'wide', 'wrong']) document.body.dataset[name] = d.dataset[name]; }, 12000);"
                   "</script></body>")
    result = browser("file://" + os.path.abspath(outer), "--dump-dom", "--allow-file-access-from-files",
                     "--window-size=1400,1000")
    found = re.search(r'<body[^>]*data-cut="([^"]*)"[^>]*data-wide="(\d+)"[^>]*data-wrong="([^"]*)"', result.stdout)
    os.remove(inner)
    os.remove(outer)
    return result, found


def shown_numbers(dom):
    return [float(x) for x in re.findall(r'data-value="([-+0-9.eE]+)"', dom)]


def numbers_in(value, into):
    if isinstance(value, bool):
        return
    if isinstance(value, (int, float)):
        into.add(float(value))
    elif isinstance(value, list):
        for item in value:
            numbers_in(item, into)
    elif isinstance(value, dict):
        for item in value.values():
            numbers_in(item, into)


def check_csv(file, known):
    """Its rows have all columns, and its numbers stand in the document."""
    with open(file, encoding="utf-8", newline="") as stream:
        heading, *rows = csv.reader(stream)
    complaints = [] if rows else [f"{file}: no rows"]
    if any(len(row) != len(heading) for row in rows):
        complaints.append(f"{file}: a row has another number of columns than the heading")
    for row in rows:
        for column, cell in zip(heading, row):
            try:
                value = float(cell)
            except ValueError:
                continue
            if value not in known:
                complaints.append(f"{file}: {column} {cell} is not in the document")
    return complaints[:5]


def check_numbers(page, dom):
    """Every number of a table (seconds also in milliseconds) is in the data; those computed by the page bear no mark."""
    folder = os.path.dirname(page)
    known = set()
    embedded = json.loads(re.search(r'id="data">(.*?)</script>', open(page, encoding="utf-8").read(), re.S).group(1))
    complaints = []
    if "machine" in embedded:  # the report: its data are files, too
        for part in embedded["parts"]:
            on_disk = json.load(open(os.path.join(folder, part["file"]), encoding="utf-8"))
            if on_disk != part["document"]:
                complaints.append(f"{part['file']} is not what the page has")
            of_part = set()
            numbers_in(on_disk, of_part)
            complaints += check_csv(os.path.join(folder, part["csv"]), of_part)
            known |= of_part
            numbers_in(part["seconds"], known)
    else:
        numbers_in(embedded, known)
    milliseconds = {1000.0 * x for x in known}
    shown = shown_numbers(dom)
    unknown = [x for x in shown if x not in known and x not in milliseconds]
    if unknown:
        complaints.append(f"{len(unknown)} numbers are in no data: {unknown[:5]}")
    return complaints, len(shown)


def main():
    looked_at = "--no-screenshots" not in sys.argv
    folder, *pages = [word for word in sys.argv[1:] if word != "--no-screenshots"]
    failures = 0
    for page in pages:
        name = os.path.splitext(os.path.basename(page))[0]
        problems = []
        for width in WIDTHS:
            result, found = probe(page, width, folder)
            problems += console(result)
            if not found:
                problems.append(f"{width}: the page did not answer")
            elif found.group(1) or int(found.group(2)) > width + 1:
                problems.append(f"{width}: beyond the width ({found.group(2)}): {found.group(1)[:200]}")
            if found and found.group(3):
                problems.append(f"{width}: not for readers: {found.group(3)[:400]}")
        url = "file://" + os.path.abspath(page)
        dom = browser(url, "--dump-dom", "--window-size=1280,1000")
        complaints, shown = check_numbers(page, dom.stdout)
        problems += complaints
        for shot, size in (("1280", "1280,3000"), ("narrow", "500,3000")):
            if looked_at:
                browser(url, f"--screenshot={folder}/{name}_{shot}.png", f"--window-size={size}")
        if looked_at and name != "index":
            for k in range(4):
                browser(f"{url}#t={k / 3:.3f}", f"--screenshot={folder}/{name}_{k}.png", "--window-size=1000,1250")
        print(f"{page}: {shown} numbers of tables compared with the data")
        for problem in problems:
            print("  " + problem)
        failures += bool(problems)
    if looked_at:
        print("Screenshots:", folder)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
