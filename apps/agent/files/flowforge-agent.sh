#!/bin/sh
# The command `flowforge-agent`: finds Node.js and runs the program in place of this shell, so that signals reach it.
set -eu
program=$(readlink -f "$0")
node=$(command -v node || true)
if [ ! -x "$node" ]; then
  echo "flowforge-agent: Node.js 20.16 or newer is needed, and there is none on this machine. Install it from https://nodejs.org (node_missing)" >&2
  exit 1
fi
exec "$node" "$(dirname "$(dirname "$program")")/apps/agent/dist/main.js" "$@"
