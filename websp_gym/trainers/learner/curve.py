"""The plot of a training run: success over the minutes of REINFORCE."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

_COLOURS = ("#1f5f8b", "#b3541e", "#3f7f5f", "#6b4c9a")
_GREY = "#6b6b6b"


def draw_curve(result: Mapping[str, Any], path: Path) -> bool:
    """Write the plot as SVG, if matplotlib is installed.

    Args:
        result: The content of ``result.json``.
        path: The file.

    Returns:
        Whether it was written.
    """
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("svg")
    from matplotlib import pyplot

    matplotlib.rcParams["svg.hashsalt"] = "websp"
    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    for run, colour in zip(result["runs"], _COLOURS * len(result["runs"]), strict=False):
        lines = run["updates"]
        points = [point for point in run["points"] if point["test"]["all"]["of"]]
        axes.plot(
            [line["minutes"] for line in lines],
            [100 * line["rate"] for line in lines],
            color=colour,
            linewidth=1,
            alpha=0.6,
            label=f"training rollouts, seed {run['seed']}",
        )
        figures = [point["test"]["all"] for point in points]
        rates = [100 * one["rate"] for one in figures]
        reach = [
            [rate - 100 * one["low"] for rate, one in zip(rates, figures, strict=True)],
            [100 * one["high"] - rate for rate, one in zip(rates, figures, strict=True)],
        ]
        axes.errorbar(
            [point["minutes"] for point in points],
            rates,
            yerr=reach,
            color=colour,
            marker="o",
            capsize=3,
            label=f"held-out instances, greedy, seed {run['seed']}",
        )
    for name, scores in result["baselines"].items():
        if not scores["all"]["of"]:
            continue
        rate = 100 * scores["all"]["rate"]
        axes.axhline(rate, color=_GREY, linewidth=1, linestyle="dotted")
        axes.annotate(name, (1, rate), xycoords=("axes fraction", "data"), xytext=(-4, 3), textcoords="offset points",
                      ha="right", color=_GREY, fontsize=9)  # fmt: skip
    axes.set_ylim(0, 100)
    axes.set_xlabel("minutes of REINFORCE (at 0: what came before it)")
    axes.set_ylabel("success (%)")
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper center", ncols=2, frameon=False, fontsize=9)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
    return True
