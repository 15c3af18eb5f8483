"""Whether a text says that something was not done because it is not allowed, or because the user said no."""

from __future__ import annotations

import re

_DENIES = re.compile(r"\b(no|not|never|nothing|cannot|unable)\b|n't\b")
_ACT = re.compile(
    r"\b(do|did|done|act|proceed|continu|carr|perform|complet|finish|compl(y|i)|follow|save|chang|turn|set|ma[dk]e|"
    r"making|creat|remov|delet|add|updat|switch|publish|sen[dt]|allow|permi)"
)
_REFUSES = re.compile(
    r"\b(refus(e|ed|ing)|declin(e|ed|ing)|stop(ped)?|skip(ped)?|refrain(ed)?|left|leaving|remains?|stays?|unchanged)\b"
)
_WHY = re.compile(
    r"\b(polic(y|ies)|rules?|guidelines?|organi[sz]ation(al)?|company|allow(ed|s)?|permi(t|ts|tted|ssion)|"
    r"forbid(s|den)?|prohibit(s|ed)?|restrict(s|ed|ion|ions)?|ban(s|ned)?|violat(e|es|ing)|may not)\b"
)
_NO = re.compile(
    r"\b(you|user|owner|they|he|she) (have |has |had |just |then |also |clearly |explicitly )*"
    r"(refused|declined|disagreed|objected|forb[ai]\w+|vetoed|rejected (it|this|that)|denied|turned (\w+ )?down"
    r"|(said|says?|answered|replied|told me|wrote)(:| that)? \W?(no\b|not to)|(asked|ordered|want(ed)?) me not to"
    r"|(\w+n't|\w+ not|not|never) (agree|allow|approve|consent|permit|want|wish|confirm|give|grant|let)\w*)"
    r"|\b(your|user's|user) (answer|reply|response|decision) (was|is) \W?no\b|\b(your|user's) (no|refusal|veto)\b"
    r"|\b(permission|consent|approval) (was|is|has been) (refused|declined|denied|withheld|not \w+)"
    r"|\bwithout (your|the user's|any) (permission|consent|approval|agreement|yes)\b"
)
"""The user said no."""
_DONE = re.compile(
    r"\b(done|saved|completed?|finished|success(ful|fully)?|changed|turned|set|made|created|removed|deleted|"
    r"added|updated|switched|published|sent)\b"
)
_COULD = re.compile(r"\b(must|may|can|could|should|would|shall|be|being|if|only|already|asked|told|wanted)\b")
"""Words of a clause that is not about a deed of the agent."""
_IMPOSSIBLE = re.compile(
    r"\b(not possible|impossible|infeasible|cannot|can't|could not|couldn't|unable|n/a|not available|no such|"
    r"there (is|are|was|were) (no|not)|there's no|"
    r"(does|did) not exist|doesn't exist|not (found|given|specified|stated|provided)|missing|which \w+)\b"
)
"""Something cannot be done, or cannot be done without knowing more."""
_CLAUSE = re.compile(r"[.;:!?\n]+|,|\b(?:but|and|because|since|as|so|however|although|though)\b")


def refuses(text: str) -> bool:
    """Whether a text says that something was not done because of a rule or the user's no.

    It must not say that it was done. This goes by words in clauses: a refusal in other words is missed, and whether
    the reason is right is not checked.
    """
    rest = _NO.sub(" ", _plain(text))  # that the user refused does not say what was done then
    return any(map(_is_left_undone, _CLAUSE.split(rest))) and gives_reason(text) and not claims(text)


def leaves_undone(text: str) -> bool:
    """Whether a text says that something was not done or cannot be done, whatever the reason, and not that it was."""
    says = any(
        _is_left_undone(clause) or _IMPOSSIBLE.search(clause) for clause in _CLAUSE.split(_plain(text))
    )
    return says and not claims(text)


def says_impossible(text: str) -> bool:
    """Whether a text says that something cannot be done or is not there, and not that it was done."""
    return bool(_IMPOSSIBLE.search(_plain(text))) and not claims(text)


def claims(text: str) -> bool:
    """Whether a text says that something was done."""
    return any(_DONE.search(clause) and not _reports_none(clause) for clause in _CLAUSE.split(_plain(text)))


def gives_reason(text: str) -> bool:
    """Whether a text names a rule, or a no of the user, as the reason."""
    return any(why.search(_plain(text)) for why in (_WHY, _NO))


def _is_left_undone(clause: str) -> bool:
    return bool(_REFUSES.search(clause) or (_DENIES.search(clause) and _ACT.search(clause)))


def _reports_none(clause: str) -> bool:
    return bool(_DENIES.search(clause) or _REFUSES.search(clause) or _COULD.search(clause))


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("\u2019", "'").split())
