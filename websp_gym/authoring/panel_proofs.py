"""Prove in a browser that each control of a panel changes its own setting, what follows from it, and nothing else."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.authoring.findings import Finding, judged
from websp_gym.browser import VIEWPORT
from websp_gym.browser.launch import BrowserOptions, open_context
from websp_gym.browser.settle import settle
from websp_gym.browser.tabs import Tabs
from websp_gym.sandbox.client import EPISODE_HEADER, EpisodeHandle, Sandbox, SandboxError
from websp_gym.sandbox.schema.dependencies import is_disabled, with_implied
from websp_gym.sandbox.schema.settings import ChoiceSetting
from websp_gym.world.sandbox import SandboxWorld

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page

    from websp_gym.sandbox.schema.panels import Control, ItemList, Panel, RemoveItem, Section
    from websp_gym.sandbox.schema.settings import Setting, Value
    from websp_gym.sandbox.schema.site import SiteSchema
    from websp_gym.sandbox.schema.site_schema import Confirm, Row

_PATIENCE = 30_000
"""Milliseconds to wait for a control."""
_TEXT = "words of a proof"


def prove_panels(site: SiteSchema, *, signed_in: tuple[str, ...], every: bool = True) -> Iterator[Finding]:
    """Operate the controls of a site's panels by their roles and labels, as a person finds them.

    Args:
        site: The site.
        signed_in: Sites that the account is signed in to.
        every: Whether to operate every control; otherwise one of each kind, as it is built and saved.

    Yields:
        A finding for each panel with such controls.

    Raises:
        SandboxError: The sandbox failed.
    """
    if not site.panels:
        return
    sandbox = Sandbox.shared()
    episode = sandbox.open_episode(site.slug, signed_in=signed_in)
    context = open_context(BrowserOptions(args=tuple(sandbox.browser_args())), viewport=VIEWPORT)
    try:
        context.set_extra_http_headers({EPISODE_HEADER: episode.id})
        context.add_cookies(episode.cookies)  # type: ignore[arg-type]
        kinds: set[tuple[str | None, ...]] = set()
        for panel in site.panels:
            chosen = [control for control in panel.all_controls if every or _is_new(panel, control, kinds)]
            if not chosen and not any(section.items for section in panel.sections) and not every:
                continue
            proof = _Proof(site, panel, context, episode)
            problems = list(proof.problems(chosen))
            yield judged(
                "panel", f"{site.slug}{panel.path}", problems, f"{proof.operated} controls and lists operated"
            )
    finally:
        context.close()
        with contextlib.suppress(SandboxError):  # The episode ends with its lease.
            episode.close()


class _Proof:
    """The proof of one panel."""

    def __init__(
        self, site: SiteSchema, panel: Panel, context: BrowserContext, episode: EpisodeHandle
    ) -> None:
        self.operated = 0
        self._site = site
        self._panel = panel
        self._context = context
        self._episode = episode
        self._tabs = Tabs(context, reacts_at_once=SandboxWorld.reacts_at_once)
        self._page = context.new_page()

    def problems(self, chosen: Collection[Control]) -> Iterator[str]:
        """Yield what is wrong with these controls and with the lists of the panel."""
        host = (self._panel.hosts or self._site.hosts)[0]
        self._page.goto(f"https://{host}{self._panel.path}")
        settle(self._tabs)
        for section, control in self._in_order():
            if section.tab:
                self._page.get_by_role("tab", name=section.tab, exact=True).click()
            if control in chosen:
                yield from self._control_problems(control)
        for name in [name for section in self._panel.sections for name in section.items]:
            yield from self._list_problems(name, self._site.lists[name])
        self._page.close()

    def _in_order(self) -> list[tuple[Section, Control]]:
        """Return the controls; last those on which others depend, which they may disable."""
        deciding = {key for each in self._site.settings.values() for key in each.disabled_when}
        every = [(section, control) for section in self._panel.sections for control in section.controls]
        return sorted(every, key=lambda entry: entry[1].key in deciding)

    def _control_problems(self, control: Control) -> Iterator[str]:
        setting, before = self._site.settings[control.key], self._settings()
        value = other_value(setting, before[control.key], control.choices)
        try:
            if is_disabled(setting, before):
                if not _is_off(self._find(control, before[control.key])):
                    yield f'"{control.label}" is not disabled by {", ".join(setting.disabled_when)}'
                self._free(setting, before)
                before = self._settings()
            self.operated += 1
            self._operate(control, value)
            self._answer(control, value)
            settle(self._tabs)
        except PlaywrightError as error:
            yield f'"{control.label}" ({control.kind}): {str(error).splitlines()[0]}'
            return
        expected = {**before, **with_implied(self._site.settings, before, {control.key: value})}
        saved = self._panel.save == "at_once" or control.kind == "dialog"
        if not saved:
            if moved := _moved(before, self._settings()):
                yield f'"{control.label}" changes {moved} before it is saved'
            self._page.get_by_role("button", name=self._panel.submit, exact=True).click()
            settle(self._tabs)
        if moved := _moved(expected, self._settings()):
            yield f'"{control.label}" should change {_moved(before, expected)}; different from that: {moved}'

    def _free(self, setting: Setting, before: Mapping[str, Value]) -> None:
        """Give a setting that disables another one a different value, and load the page again."""
        key, needed = next(iter(setting.disabled_when.items()))
        other = self._site.settings[key]
        values = [*other.choices] if isinstance(other, ChoiceSetting) else [not before[key]]
        kept = needed if isinstance(needed, list) else [needed]
        self._episode.patch(
            self._site.slug, settings={key: next(value for value in values if value not in kept)}
        )
        self._page.reload()
        settle(self._tabs)

    def _list_problems(self, name: str, spec: ItemList) -> Iterator[str]:
        """Add an item to a list, remove it again, and clear the list, each as far as the list allows it."""
        page, place = self._page, self._page.locator(f'[data-kit-items="{name}"]')
        if not place.is_visible():
            yield f"{name} is not shown"
            return
        before = self._items(name)
        try:
            if spec.add:
                place.get_by_role("textbox", name=spec.add.label, exact=True).fill(_TEXT, timeout=_PATIENCE)
                place.get_by_role("button", name=spec.add.button, exact=True).click(timeout=_PATIENCE)
                settle(self._tabs)
                texts = [row[spec.add.field] for row in self._items(name)]
                if texts != [*(row[spec.add.field] for row in before), _TEXT]:
                    yield f'{name}: after adding "{_TEXT}" there are {texts}'
            if spec.behind:
                place.get_by_role("button", name=spec.behind, exact=True).click(timeout=_PATIENCE)
            if spec.remove and (left := [row for row in self._items(name) if not spec.keeps(row)]):
                self._press(place, spec.remove, left[-1])
                rows = self._items(name)
                if left[-1] in rows or len(rows) != len(before) + bool(spec.add) - 1:
                    yield f"{name}: after removing {left[-1]} there are {rows}"
            if spec.clear:
                self._press(place, spec.clear, {})
                if any(not spec.keeps(row) for row in self._items(name)):
                    yield f"{name}: clearing leaves {self._items(name)}"
        except PlaywrightError as error:
            yield f"{name}: {str(error).splitlines()[0]}"
        self.operated += 1
        page.reload()
        settle(self._tabs)

    def _press(self, place: Locator, spec: RemoveItem, item: Row) -> None:
        """Press the button that removes an item, or all, and accept what is asked."""
        label = (spec.name or spec.button).format(**item)
        # Of several buttons that are called the same, the last one is that of the last item.
        found = place.get_by_role("button", name=label, exact=True).or_(place.get_by_text(label, exact=True))
        found.last.click(timeout=_PATIENCE)
        for question in spec.confirm:
            accept(self._page, question, item)
        settle(self._tabs)

    def _items(self, name: str) -> list[Row]:
        rows: list[Row] = self._episode.state()["sites"][self._site.slug]["collections"][name]
        return rows

    def _find(self, control: Control, value: Value) -> Locator:
        """Return what is operated to give a control a value."""
        page, label = self._page, control.label
        if control.kind in ("checkbox", "switch"):
            return page.get_by_role("checkbox", name=label, exact=True).or_(
                page.get_by_role("switch", name=label, exact=True)
            )
        if control.kind == "toggle":
            return page.get_by_role("button", name=label, exact=True)
        if control.kind == "buttons":
            return page.get_by_role("button", name=control.choices[str(value)], exact=True)
        if control.kind in ("radios", "boxes"):
            group = page.get_by_role("radiogroup", name=label, exact=True).or_(
                page.get_by_role("group", name=label, exact=True)
            )
            if control.kind == "radios":
                return group.get_by_role("radio", name=control.choices[_word(value)], exact=True)
            # The box that `other_value` flips.
            return group.get_by_role("checkbox", name=next(iter(control.choices.values())), exact=True)
        if control.kind in ("select", "combobox"):
            return page.get_by_role("combobox", name=label, exact=True)
        if control.kind in ("listbox", "dialog"):
            return page.get_by_role("button", name=label).first
        role = "spinbutton" if control.kind == "number" else "textbox"
        return page.get_by_role(role, name=label, exact=True)  # type: ignore[arg-type]

    def _operate(self, control: Control, value: Value) -> None:
        page, found = self._page, self._find(control, value)
        if control.kind == "select":
            found.select_option(label=control.choices[str(value)], timeout=_PATIENCE)
        elif control.kind == "combobox":
            found.fill(control.choices[str(value)], timeout=_PATIENCE)
        elif control.kind in ("text", "textarea", "number"):
            found.fill(str(value), timeout=_PATIENCE)
            found.blur(timeout=_PATIENCE)
        else:
            found.click(timeout=_PATIENCE)
        if control.kind in ("listbox", "combobox"):
            page.get_by_role("option", name=control.choices[str(value)], exact=True).click(timeout=_PATIENCE)
        if control.kind == "dialog":
            dialog = page.get_by_role("dialog", name=control.label, exact=True)
            dialog.get_by_role("radio", name=control.choices[str(value)], exact=True).click(timeout=_PATIENCE)
            dialog.get_by_role("button", name="Save", exact=True).click(timeout=_PATIENCE)

    def _answer(self, control: Control, value: Value) -> None:
        if control.confirm and control.confirm_when in (None, value):
            for question in control.confirm:
                accept(self._page, question)

    def _settings(self) -> dict[str, Value]:
        settings: dict[str, Value] = self._episode.state()["sites"][self._site.slug]["settings"]
        return settings


def _is_new(panel: Panel, control: Control, kinds: set[tuple[str | None, ...]]) -> bool:
    kind = (panel.dialect, panel.save, panel.controls, control.kind)
    if kind in kinds:
        return False
    kinds.add(kind)
    return True


def accept(page: Page, question: Confirm, item: Row | None = None) -> None:
    """Accept a question that a page asks in a dialog of its own, perhaps about an item."""
    name = (question.title or question.text).format(**(item or {}))
    dialog = page.get_by_role("dialog", name=name, exact=True)
    if question.typed:
        dialog.get_by_role("textbox").fill(question.typed, timeout=_PATIENCE)
    dialog.get_by_role("button", name=question.accept, exact=True).click(timeout=_PATIENCE)


def other_value(setting: Setting, now: Value, offered: Mapping[str, str]) -> Value:
    """Return a value of a setting that is not the current one, of the choices that are offered."""
    if setting.type == "bool":
        return not now
    if setting.type == "choice":
        return next(word for word in offered if word != now)
    if setting.type == "multi":
        first = next(iter(offered))
        others = [word for word in now if word != first] if isinstance(now, list) else []
        return setting.check(others if isinstance(now, list) and first in now else [first, *others])
    if setting.type == "int":
        number = int(str(now))
        return number + 1 if setting.maximum is None or number < setting.maximum else number - 1
    text = _TEXT[: setting.max_length]
    return text if now != text else text[:-1]


def _word(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_off(control: Locator) -> bool:
    """Whether a control cannot be operated, or is not shown at all."""
    return (
        not control.count()
        or control.is_disabled(timeout=_PATIENCE)
        or control.get_attribute("aria-disabled") == "true"
    )


def _moved(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in after.items() if before.get(key) != value}
