import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { HomeTaken, lockHome } from './home.lock.ts'

function begin() {
  const home = mkdtempSync(join(tmpdir(), 'forge-home-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

const main = fileURLToPath(new URL('../main.ts', import.meta.url))

test('a second server on the same home refuses with a sentence, and touches nothing', async () => {
  const home = begin()
  lockHome(home)
  const env = { PATH: process.env.PATH, FORGE_HOME: home, FORGE_PORT: '1', FORGE_LOG_LEVEL: 'silent' }
  const second = spawn(process.execPath, [main], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  second.stderr.on('data', (chunk) => (said += chunk))
  const [code] = await once(second, 'close')
  expect(code).toBe(1)
  expect(said).toMatch(
    new RegExp(`^Another FlowForge \\(process ${process.pid}\\) works on ${home}\\. Stop it, or set`),
  )
})

test('a server that was killed holds nothing', async () => {
  const home = begin()
  const module = new URL('./home.lock.ts', import.meta.url).href
  const program = `import { lockHome } from '${module}'; lockHome('${home}'); console.log('taken'); setInterval(() => {}, 1000)`
  const first = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(first.stdout, 'data')
  expect(() => lockHome(home)).toThrow(HomeTaken)
  first.kill('SIGKILL')
  await once(first, 'close')
  const release = lockHome(home)
  expect(() => lockHome(home)).toThrow(`process ${process.pid}`)
  release()
  lockHome(home)()
})
