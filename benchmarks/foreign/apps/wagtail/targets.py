"""What a person does in Wagtail's administration, on the version that is recorded."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.foreign.person import Gesture


@dataclass(frozen=True)
class Aim:
    """A target.

    Args:
        key: Its name.
        path: The page where a person starts.
        gestures: What the person does.
        keep: Names of rows and fields that every drift leaves as they are.
        stable: Whether all that is pressed carries a name attribute, an id or a test id: no button to save does.
    """

    key: str
    path: str
    gestures: tuple[Gesture, ...]
    keep: tuple[str, ...] = ()
    stable: bool = False


_SAVE = Gesture("main button[type=submit], footer button.action-save", text="Save")
_DRAFT = Gesture("footer button.action-save", text="Save draft")
_GONE = Gesture("main input.serious")


def _account(field: str, *, write: str | None = None, choose: str = "") -> Aim:
    steps: tuple[Gesture, ...] = (Gesture(f"#id_{field}", write=write, choose=choose), _SAVE)
    if field.startswith("notifications"):
        steps = (Gesture("[role=tab]", text="Notifications ()"), *steps)
    return Aim(f"account/{field}", "/admin/account/", steps, (field.partition("-")[2],))


def _row(title: str) -> Gesture:
    return Gesture("main td a[href]", text=title)


def _edit(path: str, title: str, *steps: Gesture, keep: str = "", last: Gesture = _SAVE) -> Aim:
    what = next((step.css for step in reversed(steps)), "").removeprefix("#id_")
    what = "groups" if "groups" in what else what
    return Aim(f"{path}/{title}/{what}", f"/admin/{path}/", (_row(title), *steps, last), (keep or title,))


def _menu(path: str, title: str, known: str, entry: str, last: Gesture = _GONE, *, keep: str) -> Aim:
    opener = Gesture(f"button[aria-label=\"More options for '{known}'\"]")
    steps = (opener, Gesture(".w-dropdown__content a", text=entry), last)
    return Aim(f"{path}/{title}/{entry.lower()}", f"/admin/{path}/", steps, (keep,))


def _setting(field: str, *, write: str | None = None, choose: str = "") -> Aim:
    steps = (Gesture(f"#id_{field}", write=write, choose=choose), _SAVE)
    return Aim(f"settings/{field}", "/admin/settings/club/clubsettings/", steps, (field,))


def _permission(group: str, text: str) -> Aim:
    box = Gesture(f'tr:has(label:text-is("{text}")) td:has(label:text-is("{text}")) input')
    aim = _edit("groups", group, box)
    return Aim(f"groups/{group}/{text}", aim.path, aim.gestures, aim.keep)


_ROLES = Gesture("[role=tab]", text="Roles ()")
_PROMOTE = Gesture("[role=tab]", text="Promote ()")
_EVENTS = "pages/2"
_NEWS = "snippets/club/category"

TARGETS: tuple[Aim, ...] = (
    _account("notifications-submitted_notifications"),
    _account("notifications-approved_notifications"),
    _account("notifications-rejected_notifications"),
    _account("name_email-first_name", write="Ida"),
    _account("name_email-last_name", write="Lund"),
    _account("locale-preferred_language", choose="fr"),
    _account("locale-current_time_zone", choose="Europe/Berlin"),
    _account("theme-theme", choose="light"),
    _account("theme-contrast", choose="more_contrast"),
    _edit("users", "Mia Ross", Gesture("#id_first_name", write="Maria"), keep="mia"),
    _edit("users", "Otto Falk", Gesture("#id_last_name", write="Falke"), keep="otto"),
    _edit("users", "Lena Blum", Gesture("#id_email", write="lena@blum.example"), keep="lena"),
    _edit("users", "Emil Hart", Gesture("#id_is_active"), keep="emil"),
    _edit("users", "Mia Ross", _ROLES, Gesture("#id_is_superuser"), keep="mia"),
    _edit("users", "Otto Falk", _ROLES, Gesture("label:has([name=groups])", text="Moderators"), keep="otto"),
    _edit("users", "Yara Diaz", _ROLES, Gesture("label:has([name=groups])", text="Translators"), keep="yara"),
    _menu("users", "Mia Ross", "mia", "Delete", keep="mia"),
    _edit("groups", "Translators", Gesture("#id_name", write="Interpreters")),
    _permission("Translators", "Can change category"),
    _permission("Translators", "Can add redirect"),
    _permission("Press", "Can change club settings"),
    _permission("Editors", "Can change site"),
    _edit("collections", "Photos", Gesture("#id_name", write="Pictures")),
    _edit("collections", "Protocols", Gesture("#id_name", write="Records")),
    _edit("redirects", "/press", Gesture("#id_is_permanent")),
    _edit("redirects", "/join", Gesture("#id_redirect_link", write="https://club.example/become/")),
    _edit("redirects", "/wiki", Gesture("#id_is_permanent")),
    _edit(_NEWS, "Culture", Gesture("#id_public")),
    _edit(_NEWS, "Sports", Gesture("#id_pinned")),
    _edit(_NEWS, "Minutes", Gesture("#id_colour", choose="red")),
    _edit(_NEWS, "Youth", Gesture("#id_name", write="Juniors")),
    _menu(_NEWS, "Announcements", "Announcements", "Delete", keep="Announcements"),
    *(_setting(field) for field in ("registration", "approval", "directory", "review", "links", "weekly")),
    _setting("who", choose="nobody"),
    _setting("week", choose="sunday"),
    _setting("contact", write="ida@club.example"),
    _setting("footer", write="Since 1922"),
    _edit(_EVENTS, "Regatta", Gesture("#id_place", write="Lake"), keep="regatta", last=_DRAFT),
    _edit(_EVENTS, "Summer concert", Gesture("#id_tickets"), keep="concert", last=_DRAFT),
    _edit(_EVENTS, "Winter ball", _PROMOTE, Gesture("#id_show_in_menus"), keep="ball", last=_DRAFT),
    _menu(_EVENTS, "Lecture on birds", "Lecture on birds", "Delete", keep="lecture"),
    _menu(
        _EVENTS,
        "Jumble sale",
        "Jumble sale",
        "Unpublish",
        Gesture("main button[type=submit]", text="Yes, unpublish it"),
        keep="jumble",
    ),
    _edit("sites", "localhost", Gesture("#id_site_name", write="Rowing club")),
)
