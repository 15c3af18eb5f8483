"""Write what each kind of evidence is worth, from the table of the replay itself (`make docs`)."""

import re
from pathlib import Path

from websp_gym.replay.evidence import markdown

PAGE = Path(__file__).resolve().parent / "reference" / "traces.md"
_BETWEEN = re.compile(r"(?<=<!-- evidence -->\n).*?(?=<!-- /evidence -->)", re.DOTALL)


def page() -> str:
    """Return docs/reference/traces.md with the table as it should be."""
    return _BETWEEN.sub(lambda _: markdown() + "\n", PAGE.read_text("utf-8"))


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
