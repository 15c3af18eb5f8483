"""The plot of both benchmarks of replay: shares of found, raised and wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

COLOURS = {"found": "#3f7f5f", "raised": "#d9d4c7", "wrong": "#b3261e"}


def bars(counts: Mapping[str, Counter[str]], path: Path, *, label: str) -> None:
    """Write an SVG plot with a bar for each name.

    Args:
        counts: Number of each outcome, by name, from top to bottom.
        path: The file.
        label: Label of the axis.
    """
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    matplotlib.rcParams["svg.hashsalt"] = "websp"
    names = list(counts)[::-1]
    figure, axes = pyplot.subplots(figsize=(9, 0.6 + 0.36 * len(names)), layout="constrained")
    left = [0.0] * len(names)
    for outcome, colour in COLOURS.items():
        shares = [100 * counts[name][outcome] / max(1, sum(counts[name].values())) for name in names]
        axes.barh(names, shares, left=left, color=colour, label=outcome, height=0.72)
        for number, share in enumerate(shares):
            if share >= 1.5:
                ink = "#222222" if outcome == "raised" else "white"
                at = (left[number] + share / 2, number)
                axes.text(*at, f"{share:.0f}", ha="center", va="center", color=ink, fontsize=9)
        left = [a + b for a, b in zip(left, shares, strict=True)]
    axes.set_xlim(0, 100)
    axes.set_xlabel(label)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    figure.legend(loc="outside upper right", ncols=3, frameon=False)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
