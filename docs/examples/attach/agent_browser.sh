#!/bin/sh
# agent-browser as the hands of an agent (npm install agent-browser):
#
#     websp run --agent 'cdp:sh agent_browser.sh' --tasks 'Steam-task-191-ON'
#
# A model would read the snapshots and choose; here the way is written down.
set -e
browser() { agent-browser --session "websp-$$" --cdp "$WEBSP_CDP_URL" "$@"; }
browser snapshot --interactive
browser find role button click --name alexrivers
browser find role link click --name 'Account details: alexrivers'
browser find role link click --name 'Cookies & Browsing'
browser find role switch click --name recentapps
browser find role switch click --name app_impressions
browser close
