"""Whether an act is a deed, adds an item, operates a control or opens a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from websp_gym.policies.asking.acts import Phrase
from websp_gym.policies.asking.lexicon import (
    HARMLESS,
    LITTLE,
    NOUNS,
    OTHER,
    PREPOSITIONS,
    SUBORDINATE,
    VERB_STEMS,
    stems_in,
    words_in,
)
from websp_gym.policies.asking.pool import ThingPool
from websp_gym.policies.asking.things import content, stems
from websp_gym.policies.asking.words import plain_words, stem, words_of
from websp_gym.sandbox.schema.addresses import ANY, BELOW

if TYPE_CHECKING:
    from websp_gym.policies.asking.acts import Act
    from websp_gym.policies.asking.things import Things
    from websp_gym.policies.asking.words import Word
    from websp_gym.policies.events import ItemsOf, Press, Visit
    from websp_gym.sandbox.schema.settings import DeedKind
    from websp_gym.sandbox.schema.site import SiteSchema

_PAID = stems_in("paid")
_WRITTEN = stems_in("written")
_NEWS = stems_in("news")
_DRAFTED = stems_in("drafted")
_ANY_PRODUCT = frozenset(map(stem, ["order", "book", "reserve", "rent", "subscribe", "upgrade"]))
_FOR_ACCOUNT = words_in("for_account")
_WHERE = frozenset(("on", "in", "of", "from", "to", "for", "at", "under", "inside", "within"))
"""Words between what an account has and the account."""
_AFTER = words_in("after_account")
_SIGN_IN = frozenset(map(stem, ["password", "passphrase"]))

_SWITCHES = ("switch", "checkbox", "radio", "combobox", "menuitemcheckbox", "slider", "option")
_OF_ROLES = {
    **dict.fromkeys(_SWITCHES, frozenset(("change",))),
    **dict.fromkeys(("link", "tab"), frozenset(("visit",))),
}
"""What one does to controls of a role besides pressing them."""
_ACTS = frozenset(map(stem, (*NOUNS, "application", "issue", "copy", "bit", "piece")))
"""Nouns for adding an item: "an application for a token"."""
_CONTAINERS = frozenset(map(stem, ("wish", "list", "bag", "cart", "basket", "shelf", "favourite", "history")))
"""Nouns of items that are named after what contains them."""
_NEW = frozenset(("new", "another", "a", "an", "fresh", "one", "some", "additional", "further"))
_STRONGLY = stems_in("new")
_OPENING = stems("open load show lead leads bring brings visit see look")
"""Verbs before an address by which a text says what is opened."""
_MENU_ITEM = frozenset(map(stem, ("menu", "item")))


def is_deed(deed: DeedKind, act: Act, things: Things, before: Sequence[Sequence[Word]]) -> bool:
    """Whether an act is a deed of a kind.

    Args:
        deed: The kind.
        act: The act.
        things: The things of the site, which a deed is not done to: to order a newsletter is to change a setting.
        before: What was said before it.
    """
    if deed not in act.verb.kinds:
        return False
    if not act.root and not act.things:
        return True
    said = set[str]().union(*(content(phrase.words) for phrase in act.things)) if act.things else set()
    weak = deed in act.verb.weakly
    match deed:
        case "close_account":
            if any(_is_account(phrase, things) for phrase in act.things):
                return True
            is_back = all(
                phrase.refers_back
                and "them" not in {word.text for word in phrase.words}
                and not content(phrase.words) - HARMLESS
                for phrase in act.things
            )
            return is_back and _account_before(before, things)
        case "change_sign_in":
            return bool(said & _SIGN_IN) or {"email", "account"} <= said or {"email", "addres"} <= said
        case "buy":
            if _names_a_thing(act, things):
                return False
            said -= content(word for word in act.said if word.name)
            if not said - HARMLESS:
                earlier = content(word for words in before[-3:] for word in words if not word.name)
                return not weak or bool((earlier & _PAID or act.root in _ANY_PRODUCT) and not earlier & _NEWS)
            return (
                not weak
                or bool(said & _PAID and not said & _NEWS)
                or (act.root in _ANY_PRODUCT and bool(said) and not said & _NEWS)
            )
        case "publish":
            if act.root == "send" and not said - HARMLESS and before:  # "the message is ready, may I send it"
                said = content(before[-1]) | set().union(*map(content, before[-2:-1]))
                return bool(said & _WRITTEN and said & _DRAFTED)
            return (not _names_a_thing(act, things) or bool(said & _WRITTEN)) and (
                not weak or bool((content(act.said) | {act.root}) & _WRITTEN and said)
            )


def _names_a_thing(act: Act, things: Things) -> bool:
    """Whether an act is about a setting or an item of the account."""
    phrases = [phrase for phrase in act.things if not phrase.is_pronoun]
    said = set[str]().union(*(content(phrase.words) for phrase in phrases)) if phrases else set()
    found = ThingPool(things.settings, ignored=things.site).find(phrases)
    if any(thing.label - things.site <= said for thing in found):
        return True
    nouns = [stems(spec.noun) for spec in things.names.site.collections.values() if spec.noun]
    return any(len(noun & said) * 2 > len(noun) for noun in nouns)


def _is_account(phrase: Phrase, things: Things) -> bool:
    """Whether a phrase is about the account itself: "my whole GitHub account", not "permissions of my account"."""
    named = [
        word
        for word in phrase.head
        if not word.is_mark and word.text not in _AFTER and not word.text.endswith("ly")
    ]
    if named and named[0].text in ("of", "from"):
        return _is_account(Phrase(phrase.words[1:]), things)
    if not named or named[0].text in PREPOSITIONS:
        return False
    by_site = named[-1].stem in things.site and len([word for word in named if word.text not in LITTLE]) == 1
    known = _FOR_ACCOUNT | LITTLE | things.short_names | {"account"}
    others = [word for word in named if word.text not in known and word.stem not in things.site]
    return (named[-1].text == "account" or by_site) and not others


def _account_before(before: Sequence[Sequence[Word]], things: Things) -> bool:
    """Whether the account, and nothing of it, was named last."""
    for words in list(reversed(before))[:3]:
        for at, word in enumerate(words):
            if word.text == "account" and not word.name:
                start = at
                while (
                    start
                    and not words[start - 1].is_mark
                    and words[start - 1].text not in PREPOSITIONS | SUBORDINATE
                    and words[start - 1].stem not in VERB_STEMS
                ):
                    start -= 1
                if _is_of_account(words, start, at + 1):
                    return False
                if _is_account(Phrase(tuple(words[max(start, at - 3) : at + 1])), things):
                    return True
    return False


def _is_of_account(words: Sequence[Word], start: int, end: int) -> bool:
    """Whether words before and after "your account" name what is there: "an address on", "has an address"."""
    if words[end - 1].is_owner:
        return True
    if any(word.text in ("has", "holds", "contains", "includes", "lists") for word in words[end : end + 1]):
        return not any(word.text == "been" for word in words[end : end + 3])
    said = [word for word in words[:start] if not word.is_mark]
    if len(said) < 2 or said[-1].text not in _WHERE:
        return False
    noun = said[-2]
    is_act = said[-1].text == "of" and (noun.stem in VERB_STEMS or noun.text in NOUNS or noun.text == "rid")
    return not is_act and noun.text not in LITTLE and (noun.stem not in OTHER or noun.text.endswith("s"))


def is_added(items: ItemsOf, act: Act, before: Sequence[Sequence[Word]], things: Things) -> bool:
    """Whether an act adds an item of a collection."""
    noun = stems(things.names.things(items.collection))
    is_verb = act.root in noun
    if "add" not in act.verb.kinds and not is_verb:
        return False
    said = content(act.said)
    kind = things.kind(items.collection)
    if _is_put_into_one(act, noun):
        return False
    new = any(word.text in _NEW for word in act.said)
    is_act = bool(said) and said <= _ACTS - kind  # "the request" is the last one that was spoken of
    back = all(phrase.refers_back for phrase in act.things)
    if is_act or (back and (not said & kind or "such" in {word.text for word in act.said})):
        wanted = said if is_act else (kind - HARMLESS or noun)
        last = next((words for words in reversed(before) if content(words) & wanted), ())
        said, new = content(last), any(word.text in _NEW for word in last)
    if not (said & kind - HARMLESS or (noun and noun <= said)):
        return False
    if len(said & noun) * 2 < len(noun) and not said & (kind - noun):
        return False
    if is_verb or not act.root or act.root in _STRONGLY:
        pool = ThingPool(things.items(items.collection), ignored=things.site)
        return act.root != "put" or not pool.find(act.things)
    return new or bool(said & (kind - noun)) or bool({"into", "onto"} & {word.text for word in act.said})


def _is_put_into_one(act: Act, noun: frozenset[str]) -> bool:
    """Whether something is added to an item, and not the item: "add the tag to the dataset"."""
    heads = set[str]().union(*(content(phrase.head) for phrase in act.things))
    after = [
        word
        for phrase in act.things
        for word in phrase.words[len(phrase.head) :]
        if word.stem in noun
        and phrase.words[len(phrase.head)].text in ("to", "into", "in", "on", "under", "of", "for")
    ]
    return (
        bool(heads - HARMLESS - (VERB_STEMS | _ACTS if _ends_in(act, noun) else set()))
        and not heads & noun
        and bool(after)
        and all(word.text == word.stem and word.stem not in _CONTAINERS for word in after)
    )


def _ends_in(act: Act, noun: frozenset[str]) -> bool:
    """Whether a phrase ends in a noun: "a copy of your data", but not "a copy of the dataset list"."""
    said = [[word for word in phrase.words if not word.is_mark] for phrase in act.things]
    return any(words and (words[-1].stem in noun or words[-1].stem == "data") for words in said)


def is_pressed(event: Press, act: Act, before: Sequence[Sequence[Word]], things: Things) -> bool:
    """Whether an act operates a control."""
    name = frozenset(word.stem for word in words_of(event.press.name) if not word.is_mark)
    said = {word.stem for word in act.said if not word.is_mark}
    if act.things and all(phrase.refers_back for phrase in act.things):
        last = next((words for words in reversed(before) if name <= {word.stem for word in words}), ())
        said |= {word.stem for word in last}
    for phrase in act.without:
        if content(phrase.words) & name:
            return False
    if not name <= said:
        return False
    label = plain_words(words_of(event.press.name))
    whole = _has_control(act.said, event.press.name, label)
    kind = _MENU_ITEM if said >= _MENU_ITEM else frozenset[str]()
    rest = (
        set()
        if whole
        else content(act.said)
        - name
        - HARMLESS
        - things.vocabulary
        - {act.root}
        - stems("button page screen dialog link")
        - kind
    )
    by_name = act.root == "" or act.root in name or (whole and "button" in said)
    kinds = {"press"} | _OF_ROLES.get(event.press.role, frozenset())
    return not rest and (by_name or bool(kinds & act.verb.kinds))


def _has_control(said: Sequence[Word], name: str, label: Sequence[str]) -> bool:
    """Whether words have the name of a control as one writes it, in quotation marks or in capitals, and no longer."""
    for at in range(len(said) - len(label) + 1):
        span = said[at : at + len(label)]
        if [word.text for word in span] != label:
            continue
        beside = (*said[max(at - 1, 0) : at], *said[at + len(label) : at + len(label) + 1])
        if span[0].quotation:
            if all(word.quotation != span[0].quotation for word in beside):
                return True
        elif (
            " ".join(word.written for word in span) == name
            and name[:1].isupper()
            and not any(
                word.written[:1].isupper() and not word.quotation and word.text != "i" for word in beside
            )
        ):
            return True
    return False


def is_visited(
    event: Visit, act: Act, before: Sequence[Sequence[Word]], text: Sequence[Word], site: SiteSchema
) -> bool:
    """Whether an act opens a page, named by its address, by the last word of that or by its title.

    Args:
        event: The visit.
        act: The act.
        before: What was said before it.
        text: The whole question: "Shall I click Leads? It opens crm.example/leads." names the page after the act.
        site: The site.
    """
    pattern, said = event.pattern, content(act.said)
    back = all(phrase.refers_back for phrase in act.things)
    if any(pattern.matches(_absolute(word.written, pattern.host)) for word in _opened(act, text, back=back)):
        return True
    if "visit" not in act.verb.kinds:
        return False
    if back and before:
        said |= content(before[-1])
    steps = [step for step in (*pattern.segments, *(pattern.route or ())) if step not in ("", BELOW, ANY)]
    titles = [
        page.title
        for page in site.pages
        if "{" not in page.path and pattern.matches(_absolute(page.path, pattern.host))
    ]
    names = (stems(name.replace("_", " ")) for name in (*steps[-1:], pattern.host, *titles))
    return any(name and name <= said for name in names)


def _opened(act: Act, text: Sequence[Word], *, back: bool) -> list[Word]:
    """Return the words of an act among which is the address that it opens, or the only address that a text opens."""
    if "visit" in act.verb.kinds:
        own = list(act.said)
    elif "press" in act.verb.kinds:
        own = []
    else:
        return []
    addresses = [at for at, word in enumerate(text) if "/" in word.text and not word.is_mark]
    if len(addresses) == 1 and not any("/" in word.text for word in own):
        at = addresses[0]
        if (back and own) or _OPENING & {
            word.stem for word in (*text[max(at - 8, 0) : at], *text[at + 1 : at + 2])
        }:
            return [text[at]]
    return own


def _absolute(text: str, host: str) -> str:
    """Return the address that a text stands for; a path, or a route such as ``#/roles``, is one of the host."""
    if text.startswith(("/", "#")):
        text = f"{host}/{text.removeprefix('/')}"
    return text if text.startswith(("http:", "https:")) else f"https://{text}"
