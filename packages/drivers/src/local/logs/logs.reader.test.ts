import { appendFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, afterAll, expect, test } from 'vitest'
import { readLogs } from './logs.reader.ts'

const count = 120_000
const pageBytes = 512 * 1024
let folder: string
const tsOf = (n: number) => String(17_000_000_000_000_000n + BigInt(n) * 10_000n)
const lineOf = (n: number, msg = `line ${n}`) => `${JSON.stringify({ ts: tsOf(n), level: 'info', msg, src: '57ab' })}\n`

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'forge-read-'))
  let text = ''
  for (let n = 0; n < count; n += 1) text += lineOf(n)
  writeFileSync(join(folder, `${tsOf(0)}.ndjson`), text)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function read(query: { cursor?: string; limit: number }) {
  const reading = { bytes: 0 }
  const entries = await readLogs(folder, query, reading)
  return { lines: entries.map(({ msg }) => msg), bytes: reading.bytes }
}
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `line ${from + n}`)

test('of 120,000 lines in a file only the blocks are read that hold what was asked for', async () => {
  const newest = await read({ limit: 500 })
  expect(newest.lines).toEqual(lines(count - 500, count))
  const middle = await read({ cursor: `-${tsOf(60_000)}`, limit: 500 })
  expect(middle.lines).toEqual(lines(59_500, 60_000))
  const after = await read({ cursor: tsOf(60_000), limit: 500 })
  expect(after.lines).toEqual(lines(60_001, 60_501))
  const end = await read({ cursor: tsOf(count - 1), limit: 500 })
  expect(end.lines).toEqual([])
  for (const { bytes } of [newest, middle, after, end]) expect(bytes).toBeLessThan(2 * pageBytes)
})

test('a walk through the whole file in either direction meets each line once', async () => {
  const back: string[] = []
  for (let cursor: string | undefined, more = true; more; ) {
    const page = await readLogs(folder, { limit: 20_000, ...(cursor && { cursor }) })
    back.unshift(...page.map(({ msg }) => msg))
    more = page.length > 0
    cursor = `-${page[0]?.ts}`
  }
  expect(back).toEqual(lines(0, count))
  const forth: string[] = []
  for (let cursor = '0', more = true; more; ) {
    const page = await readLogs(folder, { limit: 20_000, cursor })
    forth.push(...page.map(({ msg }) => msg))
    more = page.length > 0
    cursor = page.at(-1)?.ts ?? cursor
  }
  expect(forth).toEqual(lines(0, count))
})

test('lines longer than a block, half written ones and what is no log are passed over or read whole', async () => {
  const other = mkdtempSync(join(tmpdir(), 'forge-read-'))
  const file = join(other, `${tsOf(0)}.ndjson`)
  const long = 'ä'.repeat(80_000)
  for (let n = 0; n < 6; n += 1) appendFileSync(file, lineOf(n, n % 2 ? long : `short ${n}`))
  appendFileSync(file, `${'x'.repeat(600_000)}\n${lineOf(6, 'behind it')}{"ts":"17`)
  symlinkSync(file, join(other, `${tsOf(9)}.ndjson`))
  const messages = (await readLogs(other, { limit: 100 })).map(({ msg }) => msg)
  expect(messages).toEqual(['short 0', long, 'short 2', long, 'short 4', long, 'behind it'])
  const forth = (await readLogs(other, { limit: 100, cursor: tsOf(2) })).map(({ msg }) => msg)
  expect(forth).toEqual([long, 'short 4', long, 'behind it'])
  const back = (await readLogs(other, { limit: 2, cursor: `-${tsOf(4)}` })).map(({ msg }) => msg)
  expect(back).toEqual(['short 2', long])
  rmSync(other, { recursive: true })
})

test('of thousands of files that flows have made the newest are looked into, and no more than a log has', async () => {
  const other = mkdtempSync(join(tmpdir(), 'forge-read-'))
  writeFileSync(join(other, `${tsOf(1)}.ndjson`), lineOf(1))
  for (let n = 2; n < 2_000; n += 1) writeFileSync(join(other, `${tsOf(n)}.ndjson`), '')
  writeFileSync(join(other, `${tsOf(2_000)}.ndjson`), lineOf(2_000))
  expect((await readLogs(other, { limit: 100 })).map(({ msg }) => msg)).toEqual(['line 2000'])
  expect((await readLogs(other, { limit: 100, cursor: '0' })).map(({ msg }) => msg)).toEqual(['line 2000'])
  rmSync(other, { recursive: true })
})
