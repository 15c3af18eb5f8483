#!/bin/sh
# Installs a Chromium where there is none: Playwright's own where its download works, else the system's package.
# Usage: install_browser.sh PYTHON
set -u
if "$1" - <<'PY'
import sys
from playwright.sync_api import sync_playwright
from websp_gym.browser.find import find_browser
from websp_gym.errors import SetupError
with sync_playwright() as playwright:
    try:
        find_browser(playwright)  # one that loads extensions, for the recorder
    except SetupError:
        sys.exit(1)
PY
then exit 0; fi
echo "installing Chromium ..." >&2
if timeout 300 "$1" -m playwright install chromium >&2; then exit 0; fi
echo "Playwright's download did not work; trying the system's package ..." >&2
sudo=; [ "$(id -u)" = 0 ] || sudo=sudo
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -q >&2
# The headless shell, where there is one, resets faster.
$sudo apt-get install -y -q chromium chromium-headless-shell >&2 && exit 0
$sudo apt-get install -y -q chromium >&2 && exit 0
echo "could not install Chromium; install one and point WEBSP_BROWSER at it" >&2
exit 1
