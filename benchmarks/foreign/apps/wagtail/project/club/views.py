"""The views of users, groups and categories, in the order of the settings."""

from django.conf import settings
from wagtail.snippets.views.snippets import SnippetViewSet
from wagtail.users.views import groups, users

from club.models import Category

_SIGN = "-" if settings.OTHER_ORDER else ""


class UserViewSet(users.UserViewSet):
    """Users by login name."""

    ordering = f"{_SIGN}username"


class GroupViewSet(groups.GroupViewSet):
    """Groups by name."""

    ordering = (f"{_SIGN}name",)


class CategoryViewSet(SnippetViewSet):
    """Categories by name."""

    model = Category
    ordering = (f"{_SIGN}name",)
