import { spawnSync } from 'node:child_process'

const tryMs = 5_000

/**
 * What stands before a command so that it, and all it starts, never gains rights by programs of the machine such as
 * su, sudo or mount (`no_new_privs` of the kernel). It is part of util-linux. Empty where it is missing.
 */
export function withoutNewPrivileges(): string[] {
  const wrap = ['setpriv', '--no-new-privs']
  const { status } = spawnSync(wrap[0]!, [...wrap.slice(1), 'true'], { stdio: 'ignore', timeout: tryMs })
  return status === 0 ? wrap : []
}
