"""Tables and plots of what the benchmarks measure."""

from __future__ import annotations

import os
import platform
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Literal

Outcome = Literal["found", "raised", "wrong"]
"""Of a replay: it operates what was recorded, nothing, or something else."""
COLOURS: dict[Outcome, str] = {"found": "#3f7f5f", "raised": "#d9d4c7", "wrong": "#b3261e"}


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def counted(outcomes: Iterable[Outcome], *, share: bool = False) -> str:
    """Return a cell with the number of each outcome, and with `share` the percentage that was found."""
    count = Counter(outcomes)
    if not count:
        return "–"
    found = f" ({100 * count['found'] / count.total():.1f} %)" if share else ""
    return " / ".join(str(count[outcome]) for outcome in COLOURS) + found


def machine(*packages: str) -> str:
    """Return a description of this machine, with the versions of Chromium and of the packages."""
    from websp_gym.browser.launch import BrowserOptions, shared_browser

    chromium = shared_browser(BrowserOptions()).version
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    return (
        f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}, Chromium {chromium}, "
        f"{versions}; {time.strftime('%Y-%m-%d')}"
    )


def plot(outcomes: Mapping[str, Iterable[Outcome]], path: Path, *, label: str) -> None:
    """Write an SVG plot with a bar of the shares of the outcomes for each name, from top to bottom.

    Args:
        outcomes: The outcomes, by name.
        path: The file.
        label: Label of the axis.
    """
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    matplotlib.rcParams["svg.hashsalt"] = "websp"
    names = list(outcomes)[::-1]
    counts = [Counter(outcomes[name]) for name in names]
    figure, axes = pyplot.subplots(figsize=(9, 0.6 + 0.36 * len(names)), layout="constrained")
    left = [0.0] * len(names)
    for outcome, colour in COLOURS.items():
        shares = [100 * count[outcome] / max(1, count.total()) for count in counts]
        bars = axes.barh(names, shares, left=left, color=colour, label=outcome, height=0.72)
        labels = [f"{share:.0f}" if share >= 1.5 else "" for share in shares]
        ink = "#222222" if outcome == "raised" else "white"
        axes.bar_label(bars, labels, label_type="center", color=ink, fontsize=9)
        left = [sum(pair) for pair in zip(left, shares, strict=True)]
    axes.set_xlim(0, 100)
    axes.set_xlabel(label)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    figure.legend(loc="outside upper right", ncols=3, frameon=False)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def fill(path: Path, blocks: Mapping[str, str]) -> None:
    """Replace what stands between ``<!-- NAME -->`` and ``<!-- /NAME -->`` in a file, for each name."""
    text = path.read_text("utf-8")
    for name, block in blocks.items():
        before, begin, rest = text.partition(f"<!-- {name} -->\n")
        _, end, after = rest.partition(f"<!-- /{name} -->")
        if not end:
            raise LookupError(f"{path} has no place for {name}")
        text = f"{before}{begin}{block}\n{end}{after}"
    path.write_text(text, "utf-8")
