/** The code with which a container ends when the kernel has ended something in it that wanted too much memory. */
export const outOfMemoryCode = 99

/** The specification comes over standard input. */
export const fromInput = 'exec 3<&0 </dev/null'
/** It comes as a file. `output`: `$0` is the file for what the process prints, or the engine keeps that. */
export const fromFile = (secret: string, output: 'file' | 'kept' = 'file'): string =>
  `exec </dev/null ${output === 'file' ? '>>"$0" 2>&1 ' : ''}3<'${secret}'`

/**
 * Starts the process of an instance inside its container; `$@` is its command. `open` puts the specification where a pipe
 * is elsewhere. Swarm and Podman do not tell that memory was used up, and Kubernetes only if the first process was ended, so the
 * kernel is asked; nor has Swarm a setting against new privileges, so a program sets that where the image has it.
 */
export const script = (open: string): string =>
  `
${open} || exit 1
if command -v setpriv >/dev/null 2>&1; then set -- setpriv --no-new-privs "$@"; fi
"$@" &
child=$!
exec 3<&-
trap 'kill -TERM "$child"' TERM
while wait "$child"; code=$?; kill -0 "$child" 2>/dev/null; do :; done
for file in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
  if [ -r "$file" ]; then
    while read -r name count; do
      if [ "$name" = oom_kill ] && [ "$count" -gt 0 ]; then exit ${outOfMemoryCode}; fi
    done <"$file"
  fi
done
exit "$code"
`.trim()
