#!/bin/sh
# Writes the rewards of the episode. One without a score has none: the trial is then an error, and not a 0.
exec python3 "$$(dirname "$$0")/rewards.py" "$${RUN:-/home/websp/run}" "$${LOGS:-/logs/verifier}"
