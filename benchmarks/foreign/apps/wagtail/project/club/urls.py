"""Addresses of the site."""

from django.urls import include, path
from wagtail import urls
from wagtail.admin import urls as admin_urls

urlpatterns = [path("admin/", include(admin_urls)), path("", include(urls))]
