"""The club's parts of the administration; in the other order, its menus stand the other way round."""

from django.conf import settings
from wagtail import hooks
from wagtail.snippets.models import register_snippet

from club.views import CategoryViewSet

register_snippet(CategoryViewSet)

if settings.OTHER_ORDER:

    @hooks.register("construct_main_menu")
    @hooks.register("construct_settings_menu")
    def turned(request, items):
        """Turn a menu around."""
        for item in items:
            item.order = -item.order
