#!/bin/sh
# Claude Code with the tools of the episode and no others (npm install -g @anthropic-ai/claude-code; ANTHROPIC_API_KEY):
#
#     websp run --agent 'mcp:sh claude_code.sh' --tasks 'Steam-task-191-ON'
set -e
# It reads what is written for agents in the folder where it starts.
cd "$(mktemp -d)"
# Else it asks its model before it has the tools.
export MCP_CONNECTION_NONBLOCKING=false MCP_CONNECT_TIMEOUT_MS=60000
exec claude -p "$WEBSP_TASK The website is open: use the tools of websp, and call finish when everything is done." \
	--mcp-config '{"mcpServers": {"websp": {"type": "http", "url": "${WEBSP_MCP_URL}"}}}' --strict-mcp-config \
	--tools "" --allowedTools mcp__websp --setting-sources "" --no-session-persistence
