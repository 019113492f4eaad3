import { enableCompileCache, flushCompileCache } from 'node:module'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Runs the server in this process, so that signals reach it, with settings of V8 that keep its memory small.
 * @param home compiled code is kept in it, once it exists: the server makes the folder, with its own rights.
 */
export async function startServer(home: string, load: () => Promise<unknown>): Promise<void> {
  await loadLean(existsSync(home) ? join(home, 'compiled') : undefined, load)
}

/** Loads the server with little memory, with compiled code from this folder if one is given. */
export async function loadLean(compiled: string | undefined, load: () => Promise<unknown>): Promise<void> {
  // Loading makes much that is dropped at once. Room made for it would be kept for ever: 12 MB of resident memory.
  setFlagsFromString('--semi-space-growth-factor=1')
  if (compiled) enableCompileCache(compiled)
  await load()
  setFlagsFromString('--semi-space-growth-factor=2')
  setTimeout(forgetTheStart, 3_000).unref()
}

/**
 * Objects needed only for the start are a fifth of the memory, and V8 by itself would keep them until memory runs
 * short.
 */
function forgetTheStart() {
  // Written at the end of the process otherwise, which a kill leaves out.
  flushCompileCache()
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: { type: 'major'; flavor: 'last-resort' }) => void
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', flavor: 'last-resort' })
}
