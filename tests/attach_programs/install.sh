#!/bin/sh
# Put the programs that npm has into a folder.
set -e
folder=$1
mkdir -p "$folder"
cp "$(dirname "$0")/package.json" "$folder/"
# Their own browsers are not needed. Stagehand names a peer that differs from what the others bring.
(cd "$folder" && PUPPETEER_SKIP_DOWNLOAD=1 TAIKO_SKIP_CHROMIUM_DOWNLOAD=1 PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 \
	npm install --legacy-peer-deps --no-package-lock --no-audit --no-fund --silent)
