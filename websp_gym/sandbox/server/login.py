"""How the account signs in to a site: the forms that its login pages would send."""

from __future__ import annotations

from websp_gym.sandbox.schema.account import ACCOUNT
from websp_gym.sandbox.schema.catalog import Catalog
from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.sandbox.schema.site_schema import FormAction, Row, SignIn

from .sessions import Keyring


def login_forms(catalog: Catalog, site: SiteSchema, keys: Keyring) -> list[Row]:
    """Return the forms that sign a browser in, in order, each with its ``url`` and ``fields``.

    Raises:
        ValueError: The site has no sign-in.
    """
    owner = catalog.session_owner(site)
    own = _action(owner, password=True)
    if own is not None:
        return [_password_form(owner, own, keys)]
    for provider in catalog:
        hand_over, password = _action(provider, password=False), _action(provider, password=True)
        if owner.login_callback and hand_over is not None and password is not None:
            fields = {hand_over[1].client: owner.slug, "redir": "/"}
            return [
                _password_form(provider, password, keys),
                {"url": _address(provider, hand_over[0]), "fields": fields},
            ]
    raise ValueError(f"{site.slug} has no sign-in")


def _action(site: SiteSchema, *, password: bool) -> tuple[FormAction, SignIn] | None:
    """Return a site's sign-in by password, or the one by which it hands over to other sites."""
    ways = [(each, each.login) for each in site.actions if isinstance(each.login, SignIn)]
    return next(
        ((each, login) for each, login in ways if bool(login.password if password else login.client)), None
    )


def _password_form(site: SiteSchema, way: tuple[FormAction, SignIn], keys: Keyring) -> Row:
    action, login = way
    fields = {login.username: ACCOUNT["email"], login.password: keys.password(site)}
    return {"url": _address(site, action), "fields": {name: value for name, value in fields.items() if name}}


def _address(site: SiteSchema, action: FormAction) -> str:
    return f"https://{(action.hosts or site.hosts)[0]}{action.path}"
