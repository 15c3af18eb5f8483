#!/bin/sh
# Put a chromedriver of the browser's version into a folder, unless there is one.
set -e
folder=$1
major() { "$1" --version 2>/dev/null | grep -o '[0-9]\+' | head -n 1; }
browser=$(major chromium)
if [ -n "$browser" ] && [ "$(major chromedriver)" != "$browser" ] && [ "$(major "$folder/chromedriver")" != "$browser" ]; then
	# Debian's, taken out of its package: installing it could change the browser.
	version=$(dpkg-query -W -f='${Version}' chromium)
	scratch=$(mktemp -d)
	(cd "$scratch" && apt-get download "chromium-driver=$version" >/dev/null && dpkg -x chromium-driver_*.deb .)
	# It is a link in newer packages; one that an earlier run moved here leads nowhere.
	rm -f "$folder/chromedriver"
	cp -L "$scratch/usr/bin/chromedriver" "$folder/chromedriver"
	rm -rf "$scratch"
fi
