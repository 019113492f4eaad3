import { tryStack } from '@app/nodered/trial'
import { writeFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'

/** `<folder of Node-RED> <empty folder> <file for what was loaded>`. Its last words are the reason when it fails. */
const [nodeRedPath, folder, output] = process.argv.slice(2)
if (!nodeRedPath || !folder || !output) throw new Error('Three arguments are needed')

delete process.env.NODE_COMPILE_CACHE
try {
  const training = await tryStack(nodeRedPath, folder)
  flushCompileCache()
  writeFileSync(output, JSON.stringify(training))
  process.exit(0)
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error))
  process.exit(1)
}
