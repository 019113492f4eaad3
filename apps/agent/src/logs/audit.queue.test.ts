import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createAuditQueue } from './audit.queue.ts'

function machine() {
  const dir = mkdtempSync(join(tmpdir(), 'forge-audit-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const said: string[] = []
  const say = (text: string) => void said.push(text)
  const log = { info: say, warn: say, error: say, lines: () => [], follow: () => () => {} }
  const sent: object[] = []
  let isAway = false
  const link = {
    async event(report: object) {
      if (isAway) throw new Error('away')
      sent.push(report)
      return true
    },
  }
  return {
    sent,
    said,
    setAway: (now: boolean) => void (isAway = now),
    open: () => createAuditQueue({ dir, link, log }),
  }
}
const numbers = (sent: object[]) => sent.map((report) => (report as { n: number }).n)

test('events that the platform does not get wait for the next agent, in order, and the first 1,000 are kept', async () => {
  const { sent, said, setAway, open } = machine()
  setAway(true)
  const before = open()
  for (let n = 0; n < 1_002; n += 1) expect(before.add({ event: 'flows.set', n })).toBe(true)
  before.send()
  await expect.poll(() => said).toEqual(['Too many events wait for the audit log; those that come now are lost'])
  setAway(false)
  const after = open()
  after.send()
  await expect.poll(() => sent.length, { timeout: 30_000 }).toBe(1_000)
  expect(numbers(sent)).toEqual(Array.from({ length: 1_000 }, (_, n) => n))
  const again = open()
  again.add({ event: 'flows.set', n: 5_000 })
  again.send()
  await expect.poll(() => numbers(sent.slice(1_000))).toEqual([5_000])
})

test('only events of Node-RED are taken', () => {
  const queue = machine().open()
  for (const other of [{ event: 'team.device.deleted' }, { event: 1 }, [], null, 'flows.set'])
    expect(queue.add(other)).toBe(false)
})
