"""A small club's site, as `wagtail start` makes it; FOREIGN_DATABASE and FOREIGN_ORDER come from the benchmark."""

import os

INSTALLED_APPS = [
    "club",
    "wagtail.contrib.redirects",
    "wagtail.contrib.settings",
    "wagtail.sites",
    "club.apps.Users",
    "wagtail.snippets",
    "wagtail.documents",
    "wagtail.images",
    "wagtail.search",
    "wagtail.admin",
    "wagtail",
    "modelcluster",
    "taggit",
    "django_filters",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "club.middleware.signed_in",
    "django.contrib.messages.middleware.MessageMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "wagtail.contrib.settings.context_processors.settings",
            ]
        },
    }
]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": os.environ["FOREIGN_DATABASE"],
        "OPTIONS": {"timeout": 20},
    }
}
OTHER_ORDER = os.environ.get("FOREIGN_ORDER") == "other"
"""Whether lists, panels and menus stand in another order, as after an update of the site."""
ROOT_URLCONF = "club.urls"
ALLOWED_HOSTS = ["*"]
CSRF_TRUSTED_ORIGINS = ["http://*.localhost"]
SECRET_KEY = "only-for-the-benchmark"
MIGRATION_MODULES = {"club": "club_migrations"}
"""Made anew at each start, in a temporary folder: they differ by version."""
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
STATIC_URL = "/static/"
USE_TZ = True
USE_I18N = True
LANGUAGE_CODE = "en"
WAGTAIL_SITE_NAME = "Club"
WAGTAILADMIN_BASE_URL = "http://wagtail.localhost"
WAGTAIL_ENABLE_UPDATE_CHECK = False
WAGTAIL_ENABLE_WHATS_NEW_BANNER = False
WAGTAIL_GRAVATAR_PROVIDER_URL = None
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
LOGGING_CONFIG = None
