# Serves the episode: agents reach one port, by the token of task.toml. The control plane has a token of its own,
# which is made here and never leaves.
set -eu
umask 077
RUN=$${RUN:-/home/websp/run}
mkdir -p "$$RUN"
WEBSP_EPISODES_TOKEN=$$(python -c 'import secrets; print(secrets.token_urlsafe(24))')
export WEBSP_EPISODES_TOKEN
printf %s "$$WEBSP_EPISODES_TOKEN" > "$$RUN.token"
exec websp serve-episodes --host "$${HOST:-0.0.0.0}" --port "$${PORT:-8900}" --control-port "$${CONTROL_PORT:-8901}" \
  --public-address "http://websp:$${PORT:-8900}" --behind-proxy --out "$$RUN" --agent harbor --seed "$$SEED" $options
