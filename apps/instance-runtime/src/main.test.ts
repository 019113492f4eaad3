import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** Prints, as the process ends, which of these have been loaded. */
const watching = `
  import { registerHooks } from 'node:module'
  const seen = new Set()
  registerHooks({ load(url, context, next) { seen.add(url); return next(url, context) } })
  process.on('exit', () => {
    const urls = [...seen, ...process.moduleLoadList]
    console.log(JSON.stringify(['zod', 'undici', 'passport'].filter((name) => urls.some((url) => url.includes(name)))))
  })`

test('an instance loads neither the schemas nor fetch, which would take 16 MB of memory in each', async () => {
  const hooks = `data:text/javascript,${encodeURIComponent(watching)}`
  const child = spawn(process.execPath, ['--import', hooks, join(import.meta.dirname, 'main.ts'), 'nobody'], {
    stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
  })
  child.stdio[3]?.destroy()
  let said = ''
  child.stdout!.setEncoding('utf8').on('data', (part: string) => (said += part))
  await new Promise((resolve) => child.once('close', resolve))
  expect(JSON.parse(said)).toEqual(['passport'])
})
