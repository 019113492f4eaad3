import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { codeFlow } from '../../testing/flows.ts'
import { askInstance } from '../../testing/instance.http.ts'
import { openLocal, readRecord, runs } from '../../testing/local.harness.ts'
import { until } from '../../testing/until.ts'
import { identityOf } from './identity.ts'

test('what ended with the machine counts as stopped and not as crashed, whoever has its number now, and starts again', async () => {
  const { home, driver, open, spec, putFlows, close } = await openLocal()
  onTestFinished(close)
  const specs = [spec(), spec()]
  for (const one of specs) {
    putFlows(one.id, codeFlow('msg.payload = "well"; return msg'))
    await driver.start(one)
    await runs(driver, one.id)
  }
  await driver.close()
  // A process of the boot that is now has the number of one, and the clock tick of its start too; nobody has the other's.
  const foreign = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' })
  onTestFinished(() => void foreign.kill('SIGKILL'))
  const identity = identityOf(foreign.pid!)!
  for (const [n, { id }] of specs.entries()) {
    const record = await readRecord(home, id)
    process.kill(-record.pid, 'SIGKILL')
    await until('it is gone', () => identityOf(record.pid) !== record.identity)
    const [, tick] = (n === 0 ? identity : record.identity).split(':')
    const before = { ...record, pid: n === 0 ? foreign.pid : record.pid, identity: `b00t-before:${tick}` }
    writeFileSync(join(home, 'instances', id, 'record.json'), JSON.stringify(before))
  }

  const next = open()
  expect(await next.adopt()).toEqual([])
  for (const one of specs) {
    expect(await next.status(one.id)).toEqual({ state: 'stopped' })
    expect(existsSync(join(home, 'instances', one.id, 'crash.json'))).toBe(false)
    await next.start(one)
    await runs(next, one.id)
    expect((await askInstance(next.endpoint(one.id)!, '/do')).text).toBe('well')
  }
  expect(identityOf(foreign.pid!)).toBe(identity)
  expect(readFileSync(`/proc/${foreign.pid}/cmdline`, 'utf8')).toContain('sleep')
})
