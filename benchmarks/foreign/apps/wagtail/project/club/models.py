"""What the club's site has of its own: events, categories of news, and settings."""

from django.conf import settings
from django.db import models
from wagtail.admin.panels import FieldPanel, MultiFieldPanel
from wagtail.contrib.settings.models import BaseSiteSetting, register_setting
from wagtail.models import Page


def _ordered(panels):
    return list(reversed(panels)) if settings.OTHER_ORDER else panels


class Event(Page):
    """A page about an event."""

    place = models.CharField(max_length=80, blank=True)
    tickets = models.BooleanField("Sell tickets", default=False)
    content_panels = (*Page.content_panels, *_ordered([FieldPanel("place"), FieldPanel("tickets")]))


class Category(models.Model):
    """A category of news."""

    name = models.CharField(max_length=80, unique=True)
    colour = models.CharField(
        max_length=10, default="red", choices=[(c, c.title()) for c in ("red", "green", "blue")]
    )
    public = models.BooleanField(default=True)
    pinned = models.BooleanField("Pin to the front page", default=False)
    panels = _ordered([FieldPanel("name"), FieldPanel("colour"), FieldPanel("public"), FieldPanel("pinned")])

    class Meta:
        verbose_name_plural = "categories"

    def __str__(self):
        return self.name


@register_setting
class ClubSettings(BaseSiteSetting):
    """What the board decides."""

    registration = models.BooleanField("Open registration", default=True)
    approval = models.BooleanField("A member of the board approves", default=False)
    directory = models.BooleanField("Show the directory of members", default=True)
    who = models.CharField(
        "Who may write comments",
        max_length=10,
        default="members",
        choices=[("everyone", "Everyone"), ("members", "Members"), ("nobody", "Nobody")],
    )
    review = models.BooleanField("Review comments before they appear", default=True)
    links = models.BooleanField("Allow links in comments", default=False)
    weekly = models.BooleanField("Send the weekly letter", default=True)
    week = models.CharField(
        "First day of the week",
        max_length=10,
        default="monday",
        choices=[("monday", "Monday"), ("sunday", "Sunday")],
    )
    contact = models.EmailField("Contact address", default="board@club.example")
    footer = models.CharField("Text of the footer", max_length=200, default="Since 1921")
    panels = _ordered(
        [
            MultiFieldPanel(
                _ordered([FieldPanel("registration"), FieldPanel("approval"), FieldPanel("directory")]),
                "Members",
            ),
            MultiFieldPanel(
                _ordered([FieldPanel("who"), FieldPanel("review"), FieldPanel("links")]), "Comments"
            ),
            MultiFieldPanel(_ordered([FieldPanel("weekly"), FieldPanel("week")]), "Letters"),
            MultiFieldPanel(_ordered([FieldPanel("contact"), FieldPanel("footer")]), "Texts"),
        ]
    )

    class Meta:
        verbose_name = "club settings"
