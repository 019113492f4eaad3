import { spawn } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import { openLocal, pidOf } from '../../testing/local.harness.ts'
import { until } from '../../testing/until.ts'
import { hungReason } from './hung.ts'
import { threadStateOf } from './identity.ts'

/** The reason given for a process in this state of the kernel. */
async function reasonOf(state: string, args: string[], signal?: NodeJS.Signals): Promise<string> {
  const child = spawn(process.execPath, args, { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  if (signal) child.kill(signal)
  await until(`its state is ${state}`, () => threadStateOf(child.pid!) === state)
  return hungReason({ pid: child.pid! })
}

test('an instance that does not answer is said to be what the kernel tells about its process', async () => {
  expect(await reasonOf('T', ['-e', 'setInterval(() => {}, 1_000)'], 'SIGSTOP')).toMatch(
    /was paused from outside.*SIGCONT/,
  )
  expect(await reasonOf('R', ['-e', 'for (;;);'])).toContain('endless loop')
  const waiting = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'
  expect(await reasonOf('S', ['-e', waiting])).toMatch(/is idle: a flow may be blocked/)
})

test('an instance whose process is paused says so, and runs again once it goes on', async () => {
  const local = await openLocal()
  onTestFinished(local.close)
  const { id } = await local.run()
  const status = () => local.driver.status(id)
  const pid = await pidOf(local.home, id)
  process.kill(pid, 'SIGSTOP')
  await until('the pause is told', async () => (await status()).reason?.includes('was paused from outside'))
  process.kill(pid, 'SIGCONT')
  await until('it runs again', async () => (await status()).state === 'running')
})
