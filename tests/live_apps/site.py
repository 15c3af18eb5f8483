"""The tasks and traces of the applications, as a user's own folders have them."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from websp_gym.tasks.instances import load_site

_HERE = Path(__file__).parent
TASKS = _HERE / "task_configs"
TRACES = _HERE / "traces"


def start_url(slug: str) -> str:
    """Return the address of a site in its tasks, without a path."""
    url = urlsplit(load_site(TASKS / f"{slug}.yaml")[0].site.start_url)
    return f"{url.scheme}://{url.netloc}"
