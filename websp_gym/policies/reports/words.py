"""The words of reports of faults, by their role in a clause."""

from __future__ import annotations

import re
from functools import lru_cache


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


NEGATIONS = word_set("not never no nothing none neither nor nobody without zero hardly free nil cannot")
"""Words that deny what follows them."""
FIRST_PERSON = word_set("i we")
THINGS = word_set("it this that these those they which something anything everything")
"""Pronouns and the like that may stand for the place."""
PEOPLE = word_set(
    "you he she him nobody noone someone somebody anyone anybody everyone everybody people person persons others "
    "strangers stranger friends followers users members visitors partners advertisers companies engines who whom "
    "sellers hosts guests apps sites services third"
)
"""People from whom a setting hides something: what they cannot do is not a fault of the site."""

_FORMS = {
    "go": "goes went gone", "come": "comes came", "take": "takes took taken", "stick": "sticks stuck",
    "get": "gets got gotten", "let": "lets letting", "send": "sends sent", "put": "puts", "hold": "holds held",
    "show": "shows showed shown", "find": "finds found", "see": "sees saw seen", "write": "writes wrote written",
    "set": "sets", "submit": "submits submitted submitting", "log": "logs logged logging", "keep": "keeps kept",
    "do": "does did done", "make": "makes made", "stop": "stops stopped", "reset": "resets", "begin": "began begun",
}  # fmt: skip


def _forms(base: str) -> set[str]:
    """Return a verb in its forms."""
    if base in _FORMS:
        return {base, *_FORMS[base].split(), f"{base.removesuffix('e')}ing"}
    stem = base.removesuffix("e")
    past = f"{base[:-1]}ied" if base.endswith("y") and base[-2] not in "aeiou" else f"{stem}ed"
    third = (
        f"{base[:-1]}ies"
        if past.endswith("ied")
        else f"{base}es"
        if base.endswith(("s", "x", "sh", "ch"))
        else f"{base}s"
    )
    return {base, past, third, f"{stem}ing"}


def _all_forms(bases: str) -> frozenset[str]:
    return frozenset(form for base in bases.split() for form in _forms(base))


OF_PAGES = _all_forms(
    "work load open save store submit send accept respond react appear show display render apply stick take come go "
    "complete finish succeed arrive persist register process function reload refresh react answer start return exist "
    "hold keep record proceed help continue recognize recognise happen execute"
)
"""What a page or a form does, or what is done with it: if it does not, something is wrong."""
OF_AGENTS = _all_forms(
    "reach access get enter visit view see find use load open save store submit send complete finish continue "
    "proceed manage succeed change update edit modify adjust switch turn toggle set delete remove clear create "
    "generate make add upload confirm log sign disconnect request revoke withdraw opt unsubscribe reset select "
    "choose activate logout deactivate enable disable read do apply perform carry verify check"
)
"""What a user of a site cannot do when something is wrong."""
_CHOSEN = _all_forms(
    "change update edit modify touch alter open visit use share show click press read turn switch"
) | word_set("on off")
"""What an agent may leave undone: this is a fault only if it should have been done."""

FAILING = _all_forms("fail crash abort stall err choke freeze") | word_set(
    "broke breaks broken froze frozen hung stuck errored unsuccessful unsuccessfully timeout timedout"
)
OUT_OF_ORDER = word_set(
    "unavailable unreachable inaccessible offline unresponsive unusable impossible unsaved unreadable "
    "nonfunctional inoperable"
)
REFUSING = _all_forms("refuse reject decline deny complain bounce") | frozenset(
    {"denied", "refusal", "rejection"}
)
_SYMPTOM = word_set(
    "error failure problem issue fault glitch hiccup bug outage obstacle trouble exception disruption snag "
    "downtime malfunction breakdown interruption"
)
SYMPTOMS = _SYMPTOM | {f"{word}s" for word in _SYMPTOM} | frozenset({"difficulty", "difficulties"})
SERVED = word_set(
    "available reachable accessible possible usable responding responsive successful successfully operational "
    "functional working online able through up"
)
"""What a page is if nothing is wrong."""
CODES = word_set("400 401 403 404 408 409 410 422 423 429 500 501 502 503 504 520")
MISSING = word_set("missing lacking absent incomplete lacks lacked misses unfilled")
NEEDING = word_set("needs needed requires required wants wanted demands demanded expects expected asks asked")
LOST = word_set("lost discarded ignored dropped undone reverted")

GENERIC = word_set(
    "page pages site website webpage web form forms setting settings preference preferences option options switch "
    "toggle checkbox box button field fields section tab screen view menu link request server backend system "
    "response change changes update edit submission attempt attempts visit click press save load reload action "
    "operation step input entry content part thing account message note notice text dialog popup window url "
    "address value choice selection modification adjustment data call reply result service interface control"
)
"""What a report may call the place without naming it."""
_COMMON = word_set(
    "a an the this that these those my your our its their his her i we you it they me us one there here what "
    "which who is are was were be been being am has have had having do does did done doing can could will would "
    "shall should may might must to of in on at by for with from into onto about after before during until till "
    "while when whenever because since as if unless so but and or nor not no yes than then though although "
    "however therefore thus also too just only even still yet already again once twice first second third last "
    "next new same own other another each every all any some few more most less least very quite rather really "
    "actually currently now moment minute time times today temporarily briefly apparently unfortunately sadly "
    "sorry hi hello hey please note fyi heads up down out off over back through under below above between within "
    "without against around along toward towards right left way due via per re instead minutes seconds tried try "
    "trying tries retry retrying retried attempt attempted attempting got get getting gets gave give gives giving "
    "given saw see seen seeing received receive receiving met encountered hit ran run running faced show shows "
    "showed showing shown say says said saying tell tells told report reports reported answer answers answered "
    "answering return returns returned returning respond responds responded reply replied display displays "
    "displayed read reads claim claims claimed state states stated throw throws threw thrown produce produces "
    "produced end ends ended result results resulted came come comes coming went go goes going appear appears "
    "appeared occurred occur happened happens happening popped pops raised raises caused seems seemed seem looks "
    "looked like think believe guess want wanted wants needed need needs know knew found find able unable managed "
    "manage manages let lets opened open opening opens clicked click clicking pressed press pressing pushed push "
    "submitted submit submitting sent send sending saved save saving saves loaded load loading loads stored store "
    "storing reload reloading reloaded use used using useable usable reach reached reaching access accessed "
    "accessing accepted accept change changed changing changes update updated updating edit edited editing apply "
    "applied applying turn turned turning set complete completed completing finish finished finishing continue "
    "continued work works worked working visit visited visiting enter entering select selected choose chose "
    "chosen toggled toggle switching switched ok okay fine well probably likely maybe perhaps ie eg etc http "
    "https code status www initial landed landing redirected led brought taken stopped blocked prevented two "
    "three four five several completely fully properly correctly immediately suddenly initially later earlier "
    "beginning start started user agent browser task response side effect luck avail vain none nothing something "
    "everything cause reason obstacle detail details wait waiting waited hope possible available partly internal "
    "bad gateway unprocessable entity service unexpected generic strange odd weird red big short long whole "
    "technical minor small major serious temporary momentary current requested desired corresponding relevant "
    "respective concerned intended required main original final following"
)
PLAIN = (
    _COMMON | OF_PAGES | FAILING | OUT_OF_ORDER | REFUSING | SYMPTOMS | SERVED | CODES | MISSING | NEEDING
    | LOST | NEGATIONS | word_set("maintenance maintained went wrong timed")
)  # fmt: skip
"""Words that say nothing about a place."""
LEFT_UNDONE = _CHOSEN

_CANONICAL = {
    "prefs": "preference", "pref": "preference", "mail": "email", "mails": "email", "emails": "email",
    "ads": "ad", "advertising": "ad", "advertisement": "ad", "advertisements": "ad", "repo": "repository",
    "repos": "repository", "logout": "signout", "logoff": "signout", "signoff": "signout", "removal": "delet",
    "generat": "creat", "remov": "delet", "eras": "delet", "new": "creat", "unsubscrib": "subscript",
    "subscrib": "subscript", "notify": "notificat", "notif": "notificat", "pronoun": "pronoun",
}  # fmt: skip
_LEAVING = re.compile(
    r"(?<![/\w.-])(sign|signs|signed|signing|log|logs|logged|logging)[ -]+((?:\w+[ -]+){0,3})(?:out|off)\b"
)


def with_leaving(text: str) -> str:
    """Return a text in which "log (…) out" is one word, as it is in addresses."""
    return _LEAVING.sub(r"logout \2", text)


@lru_cache(10_000)
def stem(word: str) -> str:
    """Return the stem of a word, the same for words of one family, such as delete, deletion and remove."""
    if word in _CANONICAL:
        return _CANONICAL[word]
    for suffix in (
        "ations",
        "ation",
        "ements",
        "ement",
        "ments",
        "ment",
        "ions",
        "ion",
        "ings",
        "ing",
        "ies",
        "ie",
        "ed",
        "es",
        "s",
        "e",
    ):
        if word.endswith(suffix) and len(word) - len(suffix) >= (3 if suffix in ("ed", "ing") else 4):
            word = word.removesuffix(suffix) + (
                "at" if suffix.startswith("at") else "y" if suffix in ("ies", "ie") else ""
            )
            break
    else:
        word = word.removesuffix("s") if len(word) > 3 and not word.endswith("ss") else word
    return _CANONICAL.get(word, word)


_SPELLED = sorted(
    FAILING | OUT_OF_ORDER | SYMPTOMS | REFUSING | MISSING | OF_PAGES | {"maintenance", "wrong", "access"}
)
_NO_MISTAKE = word_set("filed filing issued cashed savings difficult outrage break")


@lru_cache(10_000)
def spelled(word: str) -> str:
    """Return a word with a typo corrected: one letter too many, too few, or two swapped."""
    if len(word) < 4 or word in PLAIN or word in GENERIC or word in _NO_MISTAKE or not word.isalpha():
        return word
    return next((known for known in _SPELLED if len(known) > 4 and _slipped(word, known)), word)


def _slipped(word: str, known: str) -> bool:
    if word[0] != known[0] or abs(len(word) - len(known)) > 1:
        return False
    if len(word) == len(known):
        odd = [at for at, letter in enumerate(word) if letter != known[at]]
        return (
            len(odd) == 2
            and odd[1] == odd[0] + 1
            and sorted(word[odd[0] : odd[1] + 1]) == sorted(known[odd[0] : odd[1] + 1])
        )
    longer, shorter = sorted((word, known), key=len, reverse=True)
    return any(longer[:at] + longer[at + 1 :] == shorter for at in range(1, len(longer)))
