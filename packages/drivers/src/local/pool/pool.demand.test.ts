import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createDemand } from './pool.demand.ts'

const four = { nodered: '4.1.15', memory: 256 }
const five = { nodered: '5.0.7', memory: 256 }

function file(): string {
  const folder = mkdtempSync(join(tmpdir(), 'forge-demand-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'demand.json')
}

test('nothing is wanted as long as nothing is known', () => {
  expect(createDemand(file(), 2).wanted()).toEqual([])
})

test('what is expected is wanted until there was a start', () => {
  const demand = createDemand(file(), 2)
  demand.expect(four)
  expect(demand.wanted()).toEqual([four, four])
  demand.note(five)
  demand.expect(four)
  expect(demand.wanted()).toEqual([five, four])
})

test('the last starts share the processes, and this outlives a restart', () => {
  const path = file()
  const demand = createDemand(path, 3)
  for (const stack of [four, four, five, five, five]) demand.note(stack)
  demand.note(four)
  expect(demand.wanted()).toEqual([four, five, five])
  expect(createDemand(path, 3).wanted()).toEqual([four, five, five])
  expect(createDemand(path, 1).wanted()).toEqual([four])
})
