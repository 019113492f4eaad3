import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { databaseUrl, until } from '../../../testing/index.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { type Bus, createBus } from './bus.ts'

let home: string
let database: Database
let bus: Bus
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'forge-bus-'))
  database = await openDatabase({ home, url: await databaseUrl() })
  bus = await createBus(database)
})
afterEach(async () => {
  await bus.close()
  await database.close()
  await rm(home, { recursive: true, force: true })
})

const changed = (team: string) => ({ type: 'team', team }) as const
function listen(on: Bus): { heard: unknown[]; stop: () => void } {
  const heard: unknown[] = []
  return { heard, stop: on.subscribe((event) => void heard.push(event)) }
}
const publish = (...teams: string[]) =>
  database.transact(async (tx) => {
    for (const team of teams) await bus.publish(tx, changed(team))
  })

test('events are heard after the commit, in order, and never when it does not happen', async () => {
  const { heard } = listen(bus)
  const undone = database.transact(async (tx) => {
    await bus.publish(tx, changed('undone'))
    throw new Error('no')
  })
  await expect(undone).rejects.toThrow('no')
  await database.transact(async (tx) => {
    await bus.publish(tx, changed('a'))
    await bus.publish(tx, changed('b'))
    expect(heard).toEqual([])
  })
  await until(
    async () => heard,
    ({ length }) => length === 2,
  )
  expect(heard).toEqual([changed('a'), changed('b')])
})

test('a subscriber that unsubscribed hears nothing more', async () => {
  const [gone, there] = [listen(bus), listen(bus)]
  gone.stop()
  await publish('a')
  await until(
    async () => there.heard,
    ({ length }) => length === 1,
  )
  expect(gone.heard).toEqual([])
})

test('every server process of one database hears what another one did; an embedded database has only one', async () => {
  const other = await createBus(database)
  const { heard } = listen(other)
  const own = listen(bus)
  await publish('a')
  await until(
    async () => own.heard,
    ({ length }) => length === 1,
  )
  const expected = database.url ? [changed('a')] : []
  await until(
    async () => heard,
    ({ length }) => length === expected.length,
  )
  expect(heard).toEqual(expected)
  await other.close()
})

test('an event too large to pass on says at least that the team changed', async () => {
  const { heard } = listen(bus)
  const text = 'x'.repeat(9_000)
  const step = { name: 'Step', state: 'running' as const, text }
  const job = {
    id: 'j',
    kind: 'k',
    title: 'T',
    state: 'running' as const,
    createdAt: new Date(0).toISOString(),
    steps: [step],
  }
  await database.transact((tx) => bus.publish(tx, { type: 'job', team: 'a', subject: 's', job }))
  await until(
    async () => heard,
    ({ length }) => length === 1,
  )
  expect(heard).toEqual([database.url ? changed('a') : { type: 'job', team: 'a', subject: 's', job }])
})

test('a large event without a team says its short form, and without one nothing is done', async () => {
  const { heard } = listen(bus)
  const event = { type: 'reach', users: [...Array(300).keys()].map((n) => `user-${n}`.padEnd(32, 'x')) } as const
  await database.transact((tx) => bus.publish(tx, event, { type: 'reach' }))
  await until(
    async () => heard,
    ({ length }) => length === 1,
  )
  expect(heard).toEqual([database.url ? { type: 'reach' } : event])
  const told = database.transact((tx) => bus.publish(tx, event)).then(() => 'told', String)
  expect(await told).toBe(
    database.url ? 'Error: An event of the type reach is too large, and has no short form' : 'told',
  )
})
