import type { Job } from '@app/contract'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import * as z from 'zod/mini'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createDatabase } from '../../../../../tools/test/postgres.ts'
import { testClock, until } from '../../../testing/index.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import type { Tx } from '../db/tables.ts'
import { createBus } from '../events/bus.ts'
import { defineJob, type JobDefinition } from './definition.ts'
import { createJobs } from './jobs.ts'

const postgres = process.env.TEST_DATABASE === 'postgres'
let home: string
let url: string | undefined
let servers: { close(): Promise<void> }[] = []
let ended: (() => Promise<void>)[] = []

type Definition = JobDefinition<{ n?: number }>

/** One server process as far as jobs go, with a clock of its own. */
async function server(definition: Definition, ahead = 0) {
  const database = await openDatabase({ home, url })
  await migrate(database)
  const bus = await createBus(database)
  const clock = testClock()
  clock.turn(ahead)
  const declared = new Map([[definition.kind, defineJob(definition)]])
  const jobs = createJobs({ database, bus, clock, log: pino({ level: 'silent' }), declared })
  const heard: Job[] = []
  bus.subscribe((event) => void (event.type === 'job' && heard.push(event.job)))
  const made = {
    database,
    jobs,
    clock,
    heard,
    order: (subject: string, payload = {}) =>
      database.transact(async (tx) => jobs.enqueue(tx, definition.kind, { subject, teamId: 'team', payload })),
    ended: (subject: string) =>
      until(
        async () => (await jobs.list(subject, 1))[0],
        (job) => job?.state === 'done' || job?.state === 'failed',
      ).then((job) => job!),
    close: async () => {
      await jobs.stop()
      await bus.close()
      await database.close()
    },
  }
  servers.push(made)
  return made
}

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'forge-jobs-'))
  url = postgres ? await createDatabase(process.env.TEST_POSTGRES_URL!) : undefined
})
afterEach(async () => {
  vi.useRealTimers()
  for (const end of ended) await end()
  for (const one of servers) await one.close()
  servers = []
  ended = []
  await rm(home, { recursive: true, force: true })
})

type Step = Definition['steps'][number]
const step = (name: string, run: Step['run'] = async () => undefined): Step => ({ name, run })
const work = (steps: Step[], failed: Definition['failed'] = async () => undefined): Definition => ({
  kind: 'work',
  title: 'Work',
  payload: z.object({ n: z.exactOptional(z.number()) }),
  steps,
  failed,
})
/** Something a step does to the database, once per call. */
const mark = (key: string) => async (tx: Tx) => {
  await tx
    .insertInto('settings')
    .values({ key: `${key}-${crypto.randomUUID()}`, value: '1' })
    .execute()
}
const marks = async (database: Database) =>
  (await database.read.selectFrom('settings').select('key').orderBy('key').execute()).map(
    ({ key }) => key.split('-')[0],
  )

/** A latch that stays shut until it is opened. */
function latch() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const opened = { promise, open: resolve }
  ended.push(async () => resolve())
  return opened
}

describe('one server', () => {
  test('does the steps in order, records and tells each, with what belongs to it', async () => {
    const seen: string[] = []
    const one = await server(
      work([
        step('First', async ({ payload, report }) => {
          seen.push(`first ${payload.n}`)
          report({ text: 'half', done: 1, total: 2 })
          return mark('first')
        }),
        step('Second', async () => void seen.push('second')),
      ]),
    )
    await one.jobs.start()
    const asked = await one.order('a', { n: 7 })
    expect(asked).toMatchObject({
      state: 'queued',
      steps: [
        { name: 'First', state: 'waiting' },
        { name: 'Second', state: 'waiting' },
      ],
    })
    const job = await one.ended('a')
    expect(seen).toEqual(['first 7', 'second'])
    expect(job).toMatchObject({
      state: 'done',
      title: 'Work',
      startedAt: expect.any(String) as string,
      endedAt: expect.any(String) as string,
      steps: [{ state: 'done', text: 'half', done: 1, total: 2 }, { state: 'done' }],
    })
    expect(await marks(one.database)).toEqual(['first'])
    await until(
      async () => one.heard.at(-1)?.state,
      (state) => state === 'done',
    )
    expect(one.heard.map(({ state, steps }) => `${state} ${steps.map((each) => each.state).join(' ')}`)).toEqual([
      'queued waiting waiting',
      'running running waiting',
      'running done waiting',
      'running done running',
      'done done done',
    ])
  })

  test('a subject has one open job; its next one may come after', async () => {
    const hold = latch()
    const one = await server(work([step('Wait', async () => hold.promise)]))
    await one.jobs.start()
    const orders = await Promise.all(Array.from({ length: 20 }, async () => one.order('a')))
    expect(orders.filter((job) => job !== undefined)).toHaveLength(1)
    hold.open()
    await one.ended('a')
    expect(await one.order('a')).toBeDefined()
  })

  test('a job of a kind that nobody declares cannot be asked for', async () => {
    const { database, jobs } = await server(work([]))
    const order = { subject: 'a', teamId: 'team', payload: {} }
    const asked = database.transact(async (tx) => jobs.enqueue(tx, 'play', order))
    await expect(asked).rejects.toThrow('Unknown kind of job: play')
    expect(await jobs.list('a', 1)).toEqual([])
  })

  test('works on four at once, on all of them in the end', async () => {
    let [now, most] = [0, 0]
    const all = latch()
    const one = await server(
      work([
        step('Work', async () => {
          most = Math.max(most, (now += 1))
          if (now === 4) all.open()
          await all.promise
          await new Promise(setImmediate)
          now -= 1
        }),
      ]),
    )
    await one.jobs.start()
    const subjects = Array.from({ length: 14 }, (_, n) => `subject-${n}`)
    await Promise.all(subjects.map(async (subject) => one.order(subject)))
    for (const subject of subjects) expect((await one.ended(subject)).state).toBe('done')
    expect(most).toBe(4)
  })

  test('progress is told at most every quarter of a second, and its last word is kept', async () => {
    const one = await server(
      work([
        step('Count', async ({ report }) => {
          const end = Date.now() + 600
          for (let done = 1; Date.now() < end; done++) {
            report({ text: 'counting', done, total: 1_000 })
            await new Promise((resolve) => setTimeout(resolve, 1))
          }
          report({ text: 'counted', done: 1_000, total: 1_000 })
        }),
      ]),
    )
    await one.jobs.start()
    await one.order('a')
    expect((await one.ended('a')).steps[0]).toMatchObject({ state: 'done', text: 'counted', done: 1_000 })
    const words = one.heard.filter(({ state, steps }) => state === 'running' && steps[0]?.text === 'counting')
    expect(words.length).toBeGreaterThanOrEqual(1)
    expect(words.length).toBeLessThanOrEqual(3)
  })
})

describe('failures', () => {
  const named = (name: string, message: string) => Object.assign(new Error(message), { name })

  test('a failed step ends the job; only words made for people are shown; `failed` runs with the record', async () => {
    const one = await server(
      work(
        [
          step('First', async () => mark('first')),
          step('Second', async ({ subject }) => {
            throw named(subject === 'known' ? 'DriverError' : 'TypeError', 'cannot read /srv/secret')
          }),
          step('Third', async () => mark('third')),
        ],
        async (tx, { subject }, message) => mark(`${subject}:${message}`)(tx),
      ),
    )
    await one.jobs.start()
    await one.order('known')
    expect(await one.ended('known')).toMatchObject({
      state: 'failed',
      error: 'cannot read /srv/secret',
      steps: [{ state: 'done' }, { state: 'failed', text: 'cannot read /srv/secret' }, { state: 'waiting' }],
    })
    await one.order('unknown')
    const job = await one.ended('unknown')
    expect(job).toMatchObject({ state: 'failed', error: 'Something went wrong on the server' })
    expect(JSON.stringify([job, one.heard.filter(({ id }) => id === job.id)])).not.toContain('secret')
    expect(await marks(one.database)).toEqual([
      'first',
      'first',
      'known:cannot read /srv/secret',
      'unknown:Something went wrong on the server',
    ])
  })

  test('a job with a payload of another shape fails before its first step, and cannot be taken up again', async () => {
    const failed: unknown[] = []
    const one = await server(
      work(
        [step('Never', async () => expect.unreachable())],
        async (_tx, { subject, payload }) => void failed.push([subject, payload]),
      ),
    )
    await one.order('a', { n: 'seven' })
    await one.jobs.start()
    expect(await one.ended('a')).toMatchObject({ state: 'failed', error: 'Something went wrong on the server' })
    expect(failed).toEqual([['a', undefined]])
    expect(await one.jobs.watchList(10)).toMatchObject([{ subject: 'a', canRetry: false }])
  })

  test('when what belongs to a step cannot be recorded, the step has failed and left nothing', async () => {
    const one = await server(
      work([
        step('Only', async () => async (tx) => {
          await mark('half')(tx)
          throw new Error('no audit, no change')
        }),
      ]),
    )
    await one.jobs.start()
    await one.order('a')
    expect(await one.ended('a')).toMatchObject({ state: 'failed', steps: [{ state: 'failed' }] })
    expect(await marks(one.database)).toEqual([])
  })

  test('a job whose end could not be recorded is taken up again when its lease is over', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    let failures = 0
    const one = await server(
      work([step('Only', async () => Promise.reject(named('DriverError', 'broken')))], async () => {
        failures += 1
        if (failures === 1) throw new Error('the database is away')
      }),
    )
    await one.jobs.start()
    await one.order('a')
    await until(
      async () => failures,
      (count) => count === 1,
    )
    await until(
      async () => {
        one.clock.turn(5_000)
        await vi.advanceTimersByTimeAsync(5_000)
        return (await one.jobs.list('a', 1))[0]?.state
      },
      (state) => state === 'failed',
    )
    expect(failures).toBe(2)
  })

  test('a word of progress that is written late does not tell of the end of its step', async () => {
    const said = latch()
    const one = await server(
      work([
        step('Only', async ({ report }) => {
          report({ text: 'half' })
          await said.promise
          return mark('only')
        }),
      ]),
    )
    await one.jobs.start()
    await one.order('a')
    await until(
      async () => one.heard.at(-1)?.state,
      (state) => state === 'running',
    )
    // Somebody holds the row while the word is due and the step ends.
    await one.database.transact(async (tx) => {
      await tx.updateTable('jobs').set({ title: 'Work' }).execute()
      await new Promise((resolve) => setTimeout(resolve, 300))
      said.open()
      await new Promise((resolve) => setTimeout(resolve, 50))
    })
    await one.ended('a')
    // Events may arrive after the rows they announce are read.
    await until(
      async () => one.heard.at(-1)?.state,
      (state) => state === 'done',
    )
    const last = one.heard.slice(-2).map(({ state, steps }) => [state, steps[0]?.state])
    expect(last).toEqual([
      ['running', 'running'],
      ['done', 'done'],
    ])
  })
})

describe('after a kill', () => {
  /** Two steps; the first server hangs in the second one, as if it had been killed there. */
  async function abandoned() {
    const hold = latch()
    const ran: string[] = []
    const steps = (who: string) => [
      step('First', async () => {
        ran.push(`${who} first`)
        return mark('first')
      }),
      step('Second', async () => {
        ran.push(`${who} second`)
        if (who === 'one') await hold.promise
        return mark('second')
      }),
    ]
    const one = await server(work(steps('one')))
    await one.jobs.start()
    await one.order('a')
    await until(
      async () => ran,
      (list) => list.length === 2,
    )
    return { one, hold, ran, steps }
  }

  test('the next server goes on with the step that was under way, and the first cannot write any more', async () => {
    const { hold, ran, steps } = await abandoned()
    const two = await server(work(steps('two')), 16_000)
    await two.jobs.start()
    expect((await two.ended('a')).state).toBe('done')
    const row = () => two.database.read.selectFrom('jobs').selectAll().executeTakeFirstOrThrow()
    const before = await row()
    hold.open()
    // It tries to write within this time, as the test of the other servers shows.
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await row()).toEqual(before)
    expect(ran).toEqual(['one first', 'one second', 'two second'])
    expect(await marks(two.database)).toEqual(['first', 'second'])
  })

  test('a failure of the first server is not recorded either', async () => {
    const hold = latch()
    let failures = 0
    const definition = (who: string) =>
      work(
        [
          step('Only', async () =>
            who === 'one' ? hold.promise.then(() => Promise.reject(new Error('late'))) : undefined,
          ),
        ],
        async () => void (failures += 1),
      )
    const one = await server(definition('one'))
    await one.jobs.start()
    await one.order('a')
    await until(
      async () => one.heard.at(-1)?.state,
      (state) => state === 'running',
    )
    const two = await server(definition('two'), 16_000)
    await two.jobs.start()
    expect((await two.ended('a')).state).toBe('done')
    hold.open()
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect([(await two.jobs.list('a', 1))[0]?.state, failures]).toEqual(['done', 0])
  })

  test('with the embedded database the next server takes over at once, with PostgreSQL not before the lease is over', async () => {
    const { steps, ran } = await abandoned()
    const two = await server(work(steps('two')), 14_000)
    await two.jobs.start()
    if (postgres) await two.order('b')
    await two.ended(postgres ? 'b' : 'a')
    expect(ran).toEqual(['one first', 'one second', ...(postgres ? ['two first', 'two second'] : ['two second'])])
    expect((await two.jobs.list('a', 1))[0]?.state).toBe(postgres ? 'running' : 'done')
  })

  test('a server that stops gives its jobs up at once', async () => {
    const { one, steps } = await abandoned()
    await one.jobs.stop()
    const two = await server(work(steps('two')))
    await two.jobs.start()
    expect((await two.ended('a')).state).toBe('done')
    expect(await marks(two.database)).toEqual(['first', 'second'])
  })

  test('a server that slept longer than its lease does not begin anew what it still does', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { one, hold, ran } = await abandoned()
    for (let i = 0; i < 3; i++) {
      one.clock.turn(60_000)
      await vi.advanceTimersByTimeAsync(5_000)
      await one.order(`other-${i}`)
      await until(
        async () => ran.length,
        (count) => count === 4 + 2 * i,
      )
    }
    expect(ran.filter((line) => line === 'one second')).toHaveLength(4)
    hold.open()
    expect((await one.ended('a')).state).toBe('done')
  })

  test('a job of many steps, abandoned before and after each of them, leaves every mark once', async () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    const latches = names.map(() => latch())
    const definition = (dies: string | undefined) =>
      work(
        names.map((name, n) =>
          step(name, async () => {
            if (name === dies) await latches[n]!.promise
            return mark(name)
          }),
        ),
      )
    for (const name of names) {
      const one = await server(definition(name), servers.length * 16_000)
      await one.jobs.start()
      if (servers.length === 1) await one.order('s')
      await until(
        async () => (await one.jobs.list('s', 1))[0]?.steps.find((each) => each.state === 'running')?.name,
        (running) => running === name,
      )
    }
    const last = await server(definition(undefined), servers.length * 16_000)
    await last.jobs.start()
    expect((await last.ended('s')).state).toBe('done')
    // One after the other: several connections of one process to the embedded database would wait for each other.
    for (const each of latches) {
      each.open()
      await new Promise((resolve) => setTimeout(resolve, 40))
    }
    expect(await marks(last.database)).toEqual(names)
  })
})

if (postgres) {
  test('two servers share the queue of one PostgreSQL, and do nothing twice', async () => {
    const ran: string[] = []
    const by = new Set<string>()
    const definition = (who: string) =>
      work([
        step('Only', async ({ subject }) => {
          ran.push(subject)
          by.add(who)
          await new Promise((resolve) => setTimeout(resolve, 5))
          return mark(subject)
        }),
      ])
    const [one, two] = [await server(definition('one')), await server(definition('two'))]
    await Promise.all([one.jobs.start(), two.jobs.start()])
    const subjects = Array.from({ length: 60 }, (_, n) => `s${String(n).padStart(2, '0')}`)
    await Promise.all(subjects.map(async (subject, n) => (n % 2 ? one : two).order(subject)))
    for (const subject of subjects) expect((await one.ended(subject)).state).toBe('done')
    expect(ran.sort()).toEqual(subjects)
    expect(await marks(one.database)).toEqual(subjects)
    expect([...by].sort()).toEqual(['one', 'two'])
  })
}
