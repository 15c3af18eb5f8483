"""Wagtail's own users and groups; in the other order, listed from the end."""

from django.conf import settings
from wagtail.users.apps import WagtailUsersAppConfig


class Users(WagtailUsersAppConfig):
    """Its views take the order from the settings."""

    user_viewset = "club.views.UserViewSet"
    group_viewset = "club.views.GroupViewSet"

    def ready(self):
        """Turn the list of redirects around too."""
        super().ready()
        if settings.OTHER_ORDER:
            from wagtail.contrib.redirects.views import IndexView

            IndexView.default_ordering = "-old_path"
