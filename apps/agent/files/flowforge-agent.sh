#!/bin/sh
# The command `flowforge-agent`: finds Node.js and runs the program in place of this shell, so that signals reach it.
set -eu
program=$(readlink -f "$0")
node=$(command -v node || true)
if [ ! -x "$node" ]; then
  echo "flowforge-agent: Node.js 20.16 or newer is needed, and there is none on this machine. Install it from https://nodejs.org (node_missing)" >&2
  exit 1
fi
# Little room for what lives short, fewer heaps for threads, and free memory is returned: 13 MB less.
export MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=131072
exec "$node" --max-semi-space-size=1 "$(dirname "$(dirname "$program")")/apps/agent/dist/main.js" "$@"
