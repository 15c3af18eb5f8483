"""Write what can be reached without reading an instruction into docs/ (`make docs`)."""

import re
from pathlib import Path

from websp_gym.scoring.blunt import markdown

HERE = Path(__file__).resolve().parent
PAGES = (HERE / "reference/reports.md", HERE / "reference/rl.md")
_BETWEEN = re.compile(r"(?<=<!-- baselines -->\n).*?(?=<!-- /baselines -->)", re.DOTALL)


def page(path: Path) -> str:
    """Return a page with the table as it should be."""
    return _BETWEEN.sub(lambda _: markdown() + "\n", path.read_text("utf-8"))


if __name__ == "__main__":
    for each in PAGES:
        each.write_text(page(each), "utf-8")
