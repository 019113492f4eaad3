import { chmodSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { Account } from '../record.store.ts'
import { nodeVersionIn } from '../stacks/stack.node.ts'

const nothing = { env: [], mounts: [] }
/** The last change of each folder as its files were opened to others, by its path. */
const opened = new Map<string, number>()

/**
 * Mounts V8's code for the modules of a stack, which its trial left, into a container. Node.js looks for it in a folder with
 * the number of its user in the name, and writes files that nobody else may read. It is left out where instances have no users of
 * their own: there it may have come from one of them.
 */
export function compiledFor({ compiledDir, accounts }: Config, nodeRedPath: string, { uid }: Account) {
  const own = process.getuid?.()
  if (own !== 0 || accounts === undefined || uid === own) return nothing
  const [prefix, suffix] = [`v${nodeVersionIn(nodeRedPath)}-`, `-${own}`]
  const found = namesIn(compiledDir).filter((name) => name.startsWith(prefix) && name.endsWith(suffix))
  if (found.length === 0) return nothing
  return {
    env: [`NODE_COMPILE_CACHE=${compiledDir}`],
    mounts: found.map((name) => ({
      Type: 'bind',
      Source: openToAll(join(compiledDir, name)),
      Target: join(compiledDir, `${name.slice(0, -suffix.length)}-${uid}`),
      ReadOnly: true,
    })),
  }
}

function openToAll(folder: string): string {
  const { mtimeMs } = statSync(folder)
  if (opened.get(folder) === mtimeMs) return folder
  chmodSync(folder, 0o755)
  for (const name of namesIn(folder)) {
    try {
      chmodSync(join(folder, name), 0o644)
    } catch {
      // Another process has just given it its name.
    }
  }
  opened.set(folder, mtimeMs)
  return folder
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
