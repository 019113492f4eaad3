#!/bin/sh
# The command `flowforge`: finds Node.js and runs the program in place of this shell, so that signals reach it.
set -eu
program=$(readlink -f "$0")
root=$(dirname "$(dirname "$program")")
case $(uname -m) in
  x86_64) cpu=x64 ;;
  aarch64) cpu=arm64 ;;
  *) cpu=none ;;
esac
for node in "$root/node_modules/node-linux-$cpu/bin/node" "$root/../node-linux-$cpu/bin/node" "$(command -v node || true)"; do
  [ -x "$node" ] && break
done
if [ ! -x "$node" ]; then
  echo "FlowForge needs Node.js 24 or newer, and there is none on this machine. Install it from https://nodejs.org" >&2
  exit 1
fi
case $("$node" --version) in
  v2[4-9].* | v[3-9][0-9].*) ;;
  *)
    echo "FlowForge needs Node.js 24 or newer, and this is $("$node" --version). Install it from https://nodejs.org" >&2
    exit 1
    ;;
esac
# For the unit of the service.
export FLOWFORGE_PROGRAM="$program"
# glibc gives the memory of password hashes back at once, and keeps that of answers. It reads this when a process begins.
export MALLOC_MMAP_THRESHOLD_="${MALLOC_MMAP_THRESHOLD_:-1048576}"
export MALLOC_TRIM_THRESHOLD_="${MALLOC_TRIM_THRESHOLD_:-4194304}"
exec "$node" "$root/apps/server/dist/flowforge.js" "$@"
