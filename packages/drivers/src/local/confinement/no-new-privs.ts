import { spawnSync } from 'node:child_process'

const tryMs = 5_000

/**
 * The command prefix that keeps a program, and everything it starts, from gaining rights through programs of the
 * machine such as su, sudo or mount (the kernel's `no_new_privs`). It is part of util-linux. Empty where it is
 * missing.
 */
export function withoutNewPrivileges(): string[] {
  const wrap = ['setpriv', '--no-new-privs']
  const { status } = spawnSync(wrap[0]!, [...wrap.slice(1), 'true'], { stdio: 'ignore', timeout: tryMs })
  return status === 0 ? wrap : []
}
