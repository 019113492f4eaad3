import { ApiError } from '@app/client'
import { DriverError, type Driver, type InstanceStatus } from '@app/drivers'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { random } from '../../../testing/crash.writer.ts'
import { createStubDriver, startServer, testClock } from '../../../testing/index.ts'
import { systemActor } from '../../platform/authz/actor.ts'
import { Failure } from '../../platform/http/failure.ts'
import { isOpen } from '../../platform/jobs/jobs.store.ts'

const seeds = [11, 23, 47]
const postgres = process.env.TEST_DATABASE === 'postgres'
const stepsPerSeed = postgres ? 200 : 1_200
const kept = 4

/** A driver whose every call waits until the test lets it go on, one at a time. */
function createScheduledDriver() {
  const statuses = new Map<string, InstanceStatus>()
  const watchers = new Set<(id: string, status: InstanceStatus) => void>()
  const waiting: ((error?: Error) => void)[] = []
  const turn = () =>
    new Promise<void>((resolve, reject) => void waiting.push((error) => (error ? reject(error) : resolve())))
  const tell = (id: string, status: InstanceStatus) => {
    statuses.set(id, status)
    for (const watcher of watchers) watcher(id, status)
  }
  const end = (id: string) =>
    statuses.has(id) && statuses.get(id)!.state !== 'stopped' && tell(id, { state: 'stopped' })
  const driver: Driver = {
    ...createStubDriver(),
    hasStack: async () => turn().then(() => true),
    async start({ id }) {
      await turn()
      for (const state of ['loading', 'starting', 'running'] as const) tell(id, { state })
    },
    stop: async (id) => turn().then(() => void end(id)),
    remove: async (id) => turn().then(() => void end(id)),
    status: async (id) => statuses.get(id) ?? { state: 'stopped' },
    adopt: async () => [],
    watch: (listener) => (watchers.add(listener), () => watchers.delete(listener)),
    close: async () => undefined,
  }
  return {
    driver,
    waiting,
    crash: (id: string) => statuses.get(id)?.state === 'running' && tell(id, { state: 'crashed', reason: 'it broke' }),
  }
}

const atRest = ['running', 'stopped', 'suspended', 'crashed']
const inFlight = ['starting', 'stopping', 'restarting', 'suspending']
/** The allowed order of states (docs/specification/states.md). A failed operation returns to the observed state. */
const after: Record<string, readonly string[]> = {
  starting: atRest,
  stopping: atRest,
  restarting: atRest,
  suspending: atRest,
  running: ['stopping', 'restarting', 'suspending', 'crashed'],
  stopped: inFlight,
  crashed: [...inFlight, 'stopped'],
  suspended: ['starting', 'stopping'],
}
const refusals = ['invalid_state', 'project_suspended', 'not_found']
const entryOf = {
  start: 'project.started',
  stop: 'project.stopped',
  restart: 'project.restarted',
  suspend: 'project.suspended',
} as const
type Action = keyof typeof entryOf

test.each(seeds)(
  'whatever comes in between, an instance keeps to its states (seed %i)',
  { timeout: 60_000 },
  async (seed) => {
    const { next, pick } = random(seed)
    const { driver, waiting, crash } = createScheduledDriver()
    const clock = testClock()
    const server = await startServer({ driver: () => driver, clock })
    const { handlers, database, http } = server.app
    // The test is about the order of things, not about their lasting.
    if (!postgres) await sql`pragma synchronous = off`.execute(database.read)
    const { owner, team } = await server.build.platform()
    const application = await server.build.application(owner, team)
    const choice = await server.build.choice()
    // How stacks become ready is another matter.
    await database.read.updateTable('stacks').set({ state: 'ready' }).execute()
    const wrong: string[] = []
    const calls = new Set<Promise<void>>()
    const shown = new Map<string, string>()
    const gone = new Set<string>()
    /** Operations that outlived the ten minutes for which they are shown; what is observed shines through until the next. */
    const lapsed = new Set<string>()
    let made = 0

    server.app.bus.subscribe((event) => {
      if (event.type === 'instance.deleted') gone.add(event.id)
      if (event.type !== 'instance') return
      const { state } = event.state.meta
      const before = shown.get(event.id) ?? 'starting'
      if (inFlight.includes(state)) lapsed.delete(event.id)
      // The clock was turned while it was being made.
      else if (!shown.has(event.id)) lapsed.add(event.id)
      if (gone.has(event.id)) wrong.push(`${state} after it was deleted`)
      if (state !== before && !after[before]?.includes(state) && !lapsed.has(event.id))
        wrong.push(`${before} became ${state}`)
      shown.set(event.id, state)
    })

    const keep = (work: Promise<unknown>, expected: readonly string[]) => {
      const call = work.then(
        () => undefined,
        (error: unknown) => {
          const code = error instanceof Failure || error instanceof ApiError ? error.code : undefined
          if (!code || !expected.includes(code)) wrong.push(String(error))
        },
      )
      calls.add(call)
      void call.finally(() => calls.delete(call))
    }
    const rows = async () => database.read.selectFrom('instances').selectAll().where('deleted_at', 'is', null).execute()
    const create = () => {
      const body = { name: `line-${(made += 1)}`, applicationId: application.id, ...choice }
      keep(owner.client.call('instance.create', { body }), [])
    }
    const breathe = async () => {
      for (let ticks = Math.floor(next() * 6); ticks > 0; ticks--) await new Promise(setImmediate)
    }
    const goOn = () => {
      const [one] = waiting.splice(Math.floor(next() * waiting.length), 1)
      const dice = next()
      one?.(dice < 0.08 ? new DriverError('scripted', 'It failed') : dice < 0.12 ? new TypeError('secret') : undefined)
    }
    const check = async () => {
      const open = await database.read
        .selectFrom('instances as instance')
        .select(['instance.in_flight', 'instance.observed', 'instance.wanted'])
        .select((q) =>
          q
            .selectFrom('jobs')
            .whereRef('subject', '=', 'instance.id')
            .where(isOpen)
            .select((n) => n.fn.countAll<number>().as('n'))
            .as('jobs'),
        )
        .execute()
      for (const row of open) {
        if (Number(row.jobs) !== (row.in_flight === null ? 0 : 1))
          wrong.push(`${row.jobs} open jobs while ${row.in_flight}`)
        if (row.in_flight !== null && !inFlight.includes(row.in_flight)) wrong.push(`in flight: ${row.in_flight}`)
      }
    }

    /** Events of earlier operations must not be taken for those of a new one. */
    const heardAll = async () => {
      const user = crypto.randomUUID()
      const { promise, resolve } = Promise.withResolvers<void>()
      const stop = server.app.bus.subscribe((event) => event.type === 'session' && event.user === user && resolve())
      await database.transact(async (tx) => {
        // PostgreSQL has several transactions at once: one that has claimed an instance by the time before is waited for.
        if (postgres) await sql`lock table instances in share mode`.execute(tx)
        await server.app.bus.publish(tx, { type: 'session', user })
      })
      await promise.finally(stop)
    }

    const actions = Object.keys(entryOf) as Action[]
    let stale = await rows()
    for (let step = 0; step < stepsPerSeed; step++) {
      const dice = next()
      if (dice < 0.1) stale = await rows()
      // A request's picture of the instance may be long out of date when it acts.
      const instance = pick(stale)
      if (!instance || (dice < 0.2 && (await rows()).length < kept)) create()
      else if (dice < 0.5) {
        const action = pick(actions)!
        const context = {
          actor: systemActor,
          instance,
          role: 99,
          teamId: team.id,
          request: undefined as never,
          reply: undefined as never,
        }
        const input = { params: { instanceId: instance.id }, query: undefined, body: undefined }
        keep(handlers[`instance.${action}`](context, input), refusals)
      } else if (dice < 0.53)
        keep(owner.client.call('instance.delete', { params: { instanceId: instance.id } }), [
          ...refusals,
          'unexpected_error',
        ])
      else if (dice < 0.58) crash(instance.id)
      else if (dice < 0.59) {
        clock.turn(11 * 60_000)
        await heardAll()
        // Also those whose operation is just beginning: its ten minutes were counted from before.
        for (const { id } of await rows()) lapsed.add(id)
      } else goOn()
      await breathe()
      await check()
    }

    while (
      calls.size > 0 ||
      waiting.length > 0 ||
      (await database.read.selectFrom('jobs').select('id').where(isOpen).execute()).length > 0
    ) {
      waiting.shift()?.()
      await new Promise(setImmediate)
    }
    await check()
    expect([...new Set(wrong)]).toEqual([])
    expect(http.server.listening).toBe(true)

    // Each operation that was done left its entry, each failed start the one of its failure.
    const jobs = await database.read.selectFrom('jobs').selectAll().orderBy('id').execute()
    const entries = await database.read
      .selectFrom('audit_log')
      .selectAll()
      .where('scope_type', '=', 'project')
      .execute()
    const alive = await rows()
    for (const { id, in_flight, wanted } of alive) {
      expect(in_flight).toBeNull()
      const mine = jobs.filter(({ subject }) => subject === id)
      const of = (kind: string, state: string) =>
        mine.filter((job) => job.kind === `instance.${kind}` && job.state === state).length
      const entered = (event: string) =>
        entries.filter((entry) => entry.scope_id === id && entry.event === event).length
      for (const action of actions) expect([action, entered(entryOf[action])]).toEqual([action, of(action, 'done')])
      expect(entered('project.start-failed')).toBe(
        of('create', 'failed') + of('start', 'failed') + of('restart', 'failed'),
      )
      const wants = { create: 'running', start: 'running', restart: 'running', stop: 'stopped', suspend: 'suspended' }
      const last = mine.findLast(({ state, kind }) => state === 'done' || kind === 'instance.create')!
      const kind = last.kind.slice('instance.'.length) as keyof typeof wants
      expect(wanted).toBe(last.state === 'failed' ? 'suspended' : wants[kind])
    }
    expect(jobs.every(({ subject }) => alive.some(({ id }) => id === subject))).toBe(true)
    expect(jobs.filter(({ state }) => state === 'done').length).toBeGreaterThan(stepsPerSeed / 100)
    expect(JSON.stringify(jobs)).not.toContain('secret')
    server.faults.splice(0)
    await server.close()
  },
)
