"""The mail that a site sends to the account, as far as its settings allow, and the mailbox where it arrives."""

from __future__ import annotations

from websp_gym.sandbox.schema.site import SiteSchema

from .episode import EpisodeState

MAILBOX = "mail"
"""The site whose collection ``messages`` is the account's mailbox."""


def send_mail(episode: EpisodeState, site: SiteSchema) -> list[str]:
    """Send one message for each kind of mail that the account has not turned off; return the kinds (settings)."""
    if site.mail is None or MAILBOX not in episode.catalog.slugs:
        return []
    settings = episode.settings(site)
    sent = [key for key in site.mail.settings(site.settings) if site.mail.is_sent(key, settings)]
    mailbox = episode.catalog[MAILBOX]
    with episode.transaction():
        for key in sent:
            subject = site.settings[key].label or key
            message = {"sender": site.mail.sender, "subject": subject, "list": f"{key}.{site.slug}"}
            episode.add(mailbox, "messages", message)
    return sent
