"""Write the columns of the table of episodes, from the code that writes it (`make docs`)."""

import re
from pathlib import Path

from websp_gym.report.frame import markdown

PAGE = Path(__file__).resolve().parent / "reference" / "formats.md"
_BETWEEN = re.compile(r"(?<=<!-- columns -->\n).*?(?=<!-- /columns -->)", re.DOTALL)


def page() -> str:
    """Return docs/reference/formats.md with the table as it should be."""
    return _BETWEEN.sub(lambda _: markdown() + "\n", PAGE.read_text("utf-8"))


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
