"""The selectors of other tools, for both benchmarks of replay: recorded from an element, and looked up on a page."""

from __future__ import annotations

import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import playwright
from playwright.sync_api import ElementHandle, Frame
from playwright.sync_api import Error as PlaywrightError

from websp_gym.replay.locate import install

Tool = str
TOOLS: dict[Tool, str] = {"devtools": "Chrome DevTools Recorder", "codegen": "Playwright codegen"}
_DEVTOOLS = Path(__file__).resolve().parent / "devtools.js"


def record(tool: Tool, frame: Frame, element: ElementHandle) -> Any:
    """Return what a tool writes down about an element: a list of alternatives, or a selector.

    None where the tool breaks down: Playwright's generator cannot read back its own selectors of some labels with an
    apostrophe.
    """
    _install(tool, frame)
    if tool == "devtools":
        return element.evaluate("el => __devtools.record(el)")
    try:
        return element.evaluate(
            "el => __injected.generateSelector(el, { testIdAttributeName: 'data-testid' }).selector"
        )
    except PlaywrightError:
        return None


def find(tool: Tool, frame: Frame, recorded: Any) -> ElementHandle | None:
    """Return the element that a tool would operate; None if it finds none or, in strict mode, several."""
    _install(tool, frame)
    look = "list => __devtools.find(list)"
    if tool == "codegen":
        look = """css => {
          const found = __injected.querySelectorAll(__injected.parseSelector(css), document);
          return found.length === 1 ? found[0] : null;
        }"""
    try:
        return frame.evaluate_handle(look, recorded).as_element()
    except PlaywrightError:
        return None


def _install(tool: Tool, frame: Frame) -> None:
    install(frame)
    frame.evaluate(_DEVTOOLS.read_text("utf-8") if tool == "devtools" else _injected())


@cache
def _injected() -> str:
    """Return a script with Playwright's own selector generator and engine, taken from its driver."""
    driver = Path(playwright.__file__).parent / "driver"
    source = driver / "package/lib/generated/injectedScriptSource.js"
    code = f"process.stdout.write(require({json.dumps(str(source))}).source)"
    text = subprocess.run(
        [str(driver / "node"), "-e", code], capture_output=True, text=True, check=True
    ).stdout
    return f"""() => {{
      if (globalThis.__injected) return;
      const module = {{}};
      {text}
      const Injected = module.exports.InjectedScript();
      globalThis.__injected = new Injected(globalThis, false, 'python', 'data-testid', 1, 'chromium', []);
    }}"""
