import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { buildWeb, isWebBuilt } from './web-build.ts'

enableCompileCache(join(import.meta.dirname, '../.cache/compile'))
if (!isWebBuilt()) {
  console.log('Building the web console, once after each change …')
  try {
    buildWeb()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(1)
  }
}
// In this process, so that signals reach the server itself.
await import('../apps/server/src/main.ts')
