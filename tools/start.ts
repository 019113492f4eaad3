// First: nothing else is worth loading twice.
import './malloc.ts'
import { enableCompileCache, flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { ensureBuilt } from './build/build.ts'

// Loading makes much that is dropped at once. Room made for it would be kept for ever: 12 MB of resident memory.
setFlagsFromString('--semi-space-growth-factor=1')
enableCompileCache(join(import.meta.dirname, '../.cache/compile'))
ensureBuilt()
// In this process, so that signals reach the server itself.
await import(new URL('../apps/server/dist/main.js', import.meta.url).href)
setFlagsFromString('--semi-space-growth-factor=2')

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
setTimeout(forgetTheStart, 3_000).unref()
