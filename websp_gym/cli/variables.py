"""The variables of the environment that are read, and those that look as if they were."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from websp_gym.errors import nearest

READ = (
    "WEBSP_ACCOUNTS", "WEBSP_ACCOUNT_EMAIL", "WEBSP_ACCOUNT_NAME", "WEBSP_ACCOUNT_NEW_PASSWORD",
    "WEBSP_ACCOUNT_PASSWORD", "WEBSP_ACCOUNT_USERNAME", "WEBSP_BROWSER", "WEBSP_ENDPOINT_KEY", "WEBSP_EPISODES_TOKEN",
    "WEBSP_FAMILIES", "WEBSP_LIVE", "WEBSP_OPENENV_TOKEN", "WEBSP_PRICES", "WEBSP_REWARD", "WEBSP_SANDBOX",
    "WEBSP_SANDBOX_LOG", "WEBSP_SANDBOX_SITES", "WEBSP_START_SECONDS", "WEBSP_STATE_KEY", "WEBSP_TASK_CONFIGS",
    "WEBSP_TRACES",
)  # fmt: skip
"""docs/reference/variables.md says what each is for."""
GIVEN = (
    "WEBSP_CDP_URL", "WEBSP_DEBUGGER_ADDRESS", "WEBSP_FINISH_URL", "WEBSP_HTTP_URL", "WEBSP_MCP_URL",
    "WEBSP_START_URL", "WEBSP_TASK",
)  # fmt: skip
"""Those that the program of an agent is given."""


def unread(names: Iterable[str]) -> Iterator[str]:
    """Yield a sentence for each variable that begins like ours and that nobody reads."""
    for name in sorted(names):
        if name.startswith("WEBSP_") and name not in (*READ, *GIVEN):
            yield f"the variable {name} is set, but nothing reads it{nearest(name, READ)}"
