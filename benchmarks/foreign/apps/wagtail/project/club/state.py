"""The data of the club: how it starts, what a drift changes in it, and what it holds."""

from random import Random

from django.contrib.auth.models import Group, Permission, User
from django.utils import timezone
from wagtail.contrib.redirects.models import Redirect
from wagtail.models import Collection, Page, Site
from wagtail.users.models import UserProfile

from club.models import Category, ClubSettings, Event

_LOST = 0.4
USERS = {
    "ada": ("Ada", "Moor", "Moderators"),
    "emil": ("Emil", "Hart", "Editors"),
    "lena": ("Lena", "Blum", "Press"),
    "mia": ("Mia", "Ross", "Editors"),
    "otto": ("Otto", "Falk", "Translators"),
    "yara": ("Yara", "Diaz", "Press"),
}
SPARE_USERS = {
    "abel": ("Abel", "Winter", "Editors"),
    "kim": ("Kim", "Ross", "Press"),
    "zoe": ("Zoe", "Adler", "Editors"),
}
EVENTS = {
    "regatta": "Regatta",
    "jumble": "Jumble sale",
    "concert": "Summer concert",
    "lecture": "Lecture on birds",
    "ball": "Winter ball",
}
SPARE_EVENTS = {"fair": "Spring fair", "picnic": "Picnic"}
REDIRECTS = {
    "/join": "https://club.example/members/",
    "/news-old": "https://club.example/news/",
    "/press": "https://club.example/about/press/",
    "/shop": "https://club.example/fair/",
    "/wiki": "https://club.example/help/",
}
SPARE_REDIRECTS = {"/abc": "https://club.example/start/", "/tickets": "https://club.example/events/"}
CATEGORIES = {"Announcements": "red", "Culture": "blue", "Minutes": "green", "Sports": "blue", "Youth": "red"}
SPARE_CATEGORIES = {"Archive": "green", "Theatre": "blue"}
COLLECTIONS = ("Board", "Photos", "Posters", "Protocols")
SPARE_COLLECTIONS = ("Attics", "Prints")
_PROFILE = (
    "submitted_notifications",
    "approved_notifications",
    "rejected_notifications",
    "theme",
    "contrast",
    "density",
)


def start():
    """Fill an empty database."""
    for name in ("Press", "Translators"):
        group = Group.objects.create(name=name)
        group.permissions.add(Permission.objects.get(codename="access_admin"))
    for login in USERS:
        _user(login, *USERS[login])
    User.objects.filter(username="ada").update(is_superuser=True)
    for user in User.objects.all():
        UserProfile.objects.create(user=user)
    for slug, title in EVENTS.items():
        _event(slug, title)
    for old, link in REDIRECTS.items():
        Redirect.objects.create(old_path=old, redirect_link=link, is_permanent=True)
    for name, colour in CATEGORIES.items():
        Category.objects.create(name=name, colour=colour)
    for name in COLLECTIONS:
        Collection.get_first_root_node().add_child(name=name)
    Site.objects.update(site_name="Club", root_page=_home())
    ClubSettings.objects.create(site=Site.objects.get())


def _home():
    return Page.objects.filter(depth=2).first()


def _user(login, first, last, group):
    user = User.objects.create(
        username=login, first_name=first, last_name=last, email=f"{login}@club.example"
    )
    user.set_unusable_password()
    user.save()
    user.groups.add(Group.objects.get(name=group))


def _event(slug, title):
    page = _home().add_child(instance=Event(slug=slug, title=title, place="Boathouse"))
    page.save_revision().publish()


def change(drift, keep):
    """Put the database into its state after a drift.

    Args:
        drift: The drift.
        keep: Natural names of what must stay, as ``mia`` or ``/join``, and fields that must keep their values.
    """
    random = Random(f"{drift} {' '.join(keep)}")
    profile = UserProfile.objects.get(user__username="ada")
    if drift == "language":
        profile.preferred_language = "de"
    if drift == "theme":
        profile.theme, profile.density = "dark", "snug"
    if drift == "rows":
        _other_rows(set(keep), random)
        for name in _PROFILE[:3]:
            if name not in keep:
                setattr(profile, name, not getattr(profile, name))
    if drift == "order":
        _other_times(random)
    profile.save()


def _other_rows(keep, random):
    def gone(names):
        return [name for name in names if name not in keep and random.random() < _LOST]

    for login, data in SPARE_USERS.items():
        _user(login, *data)
    User.objects.filter(username__in=gone([login for login in USERS if login != "ada"])).delete()
    for slug, title in SPARE_EVENTS.items():
        _event(slug, title)
    for page in Page.objects.filter(slug__in=gone(EVENTS)):
        page.delete()
    for old, link in SPARE_REDIRECTS.items():
        Redirect.objects.create(old_path=old, redirect_link=link)
    Redirect.objects.filter(old_path__in=gone(REDIRECTS)).delete()
    for name, colour in SPARE_CATEGORIES.items():
        Category.objects.create(name=name, colour=colour)
    Category.objects.filter(name__in=gone(CATEGORIES)).delete()
    for name in SPARE_COLLECTIONS:
        Collection.get_first_root_node().add_child(name=name)
    for group in ("Archivists", "Interns"):
        Group.objects.create(name=group)
    if "Press" not in keep:
        Group.objects.filter(name="Press").delete()
    _other_settings(keep)


def _other_settings(keep):
    own = ClubSettings.objects.get()
    for name in ("registration", "approval", "directory", "review", "links", "weekly"):
        if name not in keep:
            setattr(own, name, not getattr(own, name))
    own.who, own.contact, own.footer = "everyone", "office@club.example", "Founded in 1921"
    own.save()


def _other_times(random):
    """Give the pages other times of change, by which their list is ordered."""
    pages = list(Page.objects.filter(depth=3))
    random.shuffle(pages)
    for number, page in enumerate(pages):
        then = timezone.now() - timezone.timedelta(days=number + 1)
        page.latest_revision.__class__.objects.filter(pk=page.latest_revision_id).update(created_at=then)
        Page.objects.filter(pk=page.pk).update(latest_revision_created_at=then)


def held():
    """Return what the database holds: values by natural names."""
    rows = {}
    for user in User.objects.all():
        own = {
            name: getattr(user, name)
            for name in ("first_name", "last_name", "email", "is_superuser", "is_active")
        }
        rows[f"user {user.username}"] = own | {f"in group {group.pk}": True for group in user.groups.all()}
    for profile in UserProfile.objects.all():
        names = (*_PROFILE, "preferred_language", "current_time_zone")
        rows[f"profile {profile.user.username}"] = {name: getattr(profile, name) for name in names}
    for group in Group.objects.all():
        may = [each.codename for each in group.permissions.all()]
        may += [f"{each.permission.codename} of {each.page.slug}" for each in group.page_permissions.all()]
        may += [
            f"{each.permission.codename} of {each.collection.name}"
            for each in group.collection_permissions.all()
        ]
        rows[f"group {group.pk}"] = {"name": group.name} | {f"may {name}": True for name in may}
    for page in Page.objects.filter(depth=3):
        rows[f"page {page.pk}"] = _page(page)
    for kind, fields in _PLAIN.items():
        for each in kind.objects.all():
            rows[f"{kind.__name__} {each.pk}"] = {name: getattr(each, name) for name in fields}
    return {f"{key} {name}": value for key, row in rows.items() for name, value in row.items()}


_PLAIN = {
    Redirect: ("old_path", "redirect_link", "is_permanent"),
    Category: ("name", "colour", "public", "pinned"),
    Collection: ("name",),
    Site: ("site_name", "hostname", "port"),
    ClubSettings: (
        "registration",
        "approval",
        "directory",
        "who",
        "review",
        "links",
        "weekly",
        "week",
        "contact",
        "footer",
    ),
}


def _page(page):
    latest = page.get_latest_revision_as_object()
    draft = {
        name: getattr(latest, name)
        for name in ("title", "slug", "show_in_menus", "seo_title", "place", "tickets")
    }
    return draft | {"live": page.live, "locked": page.locked}
