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
echo "There is no Chromium here (WEBSP_BROWSER names one). Installing Playwright's into ~/.cache: 170 MB to load, 600 MB on disk ..." >&2
if timeout 300 "$1" -m playwright install chromium >&2; then exit 0; fi
sudo=; [ "$(id -u)" = 0 ] || sudo=sudo
export DEBIAN_FRONTEND=noninteractive
echo "Playwright's download did not work. Installing the system's package with apt, without recommended ones:" >&2
$sudo apt-get update -q >&2
# Nothing that is there is upgraded. The headless shell, where there is one, resets faster.
for packages in "chromium chromium-headless-shell" chromium; do
  # shellcheck disable=SC2086
  set -- install -y -q --no-install-recommends --no-upgrade $packages
  apt-get "$@" --simulate 2>/dev/null | sed -n 's/^Inst \([^ ]*\).*/\1/p' | paste -sd ' ' >&2
  $sudo apt-get "$@" >&2 && exit 0
done
echo "could not install Chromium; install one and point WEBSP_BROWSER at it" >&2
exit 1
