#!/bin/sh
# Starts the agent as a service: launch <Node.js> <arguments of the agent>. Lies beside the versions and outlasts them.
# A version that the agent has unpacked, `next`, gets one start: a rename makes it `trying`, and the agent makes `trying`
# to `current` by another rename once the platform has answered it. However it ends before that, the start after it is of
# `current`, the version before.
set -u
prefix=$(dirname "$(readlink -f "$0")")
node=$1
shift
main=apps/agent/dist/main.js
# Little room for what lives short, fewer heaps for threads, and free memory is returned: 13 MB less.
export MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=131072
export FLOWFORGE_AGENT_PREFIX="$prefix"

# Ends a version that neither ends nor calls home. Node.js takes the process of this shell, so its id stays.
watch_trial() {
  sleep "${FLOWFORGE_AGENT_TRIAL_SECONDS:-300}"
  [ -L "$prefix/trying" ] || return
  if tr '\0' '\n' <"/proc/$$/cmdline" | grep -qxF "$prefix/trying/$main"; then kill -KILL $$; fi
}

# A link in the place of `trying` would be followed by the rename.
if [ -L "$prefix/next" ] && rm -f "$prefix/trying" && mv "$prefix/next" "$prefix/trying"; then
  if [ -e "$prefix/trying/$main" ]; then
    watch_trial >/dev/null 2>&1 &
    export FLOWFORGE_AGENT_TRIAL=1
    exec "$node" --max-semi-space-size=1 "$prefix/trying/$main" "$@"
  fi
fi
exec "$node" --max-semi-space-size=1 "$prefix/current/$main" "$@"
