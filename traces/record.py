"""Records the traces in this folder: the sandbox's sites are used as a person would, while the extension records.

What is done is data, ``<site>/recordings.yaml``; it happens with mouse and keyboard in a real Chromium that has the
recorder in it. Run it with ``make traces`` after a site changed (``make traces SITE=steam`` for one of them); the
result is the same on every machine.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console

from websp_gym.browser.launch import prepare_context
from websp_gym.errors import SetupError, nearest
from websp_gym.recording import RecorderBrowser
from websp_gym.recording.recordings import FILE, load_recordings, record
from websp_gym.replay import save_trace
from websp_gym.world import make_world

FOLDER = Path(__file__).resolve().parent
VIEWPORT = (1280, 1024)


def main(slugs: list[str]) -> None:
    """Records the traces of some sites (of all unless named); a file is rewritten only when it changed."""
    known = {path.parent.name: path for path in sorted(FOLDER.glob(f"*/{FILE}"))}
    for slug in slugs:
        if slug not in known:
            raise SetupError(f"no {FOLDER / slug / FILE}{nearest(slug, list(known))}", site=slug)
    every = {slug: load_recordings(known[slug]) for slug in slugs or known}
    console = Console(highlight=False)
    with RecorderBrowser(args=make_world("sandbox").browser_args(), viewport=VIEWPORT) as studio:
        prepare_context(studio.context)
        for slug, recordings in every.items():
            for name, recording in recordings.items():
                path = FOLDER / slug / f"{name}.json"
                before = path.read_text("utf-8") if path.is_file() else None
                save_trace(record(studio, slug, name, recording), path)
                same = path.read_text("utf-8") == before
                console.print(f"{'same' if same else 'written':8} {path.relative_to(FOLDER)}")


if __name__ == "__main__":
    main(sys.argv[1:])
