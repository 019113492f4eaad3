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

const actions = Object.keys(entryOf) as Action[]

/** A platform on the scheduled driver, with a team whose owner makes instances. */
async function open(seed: number) {
  const dice = random(seed)
  const scheduled = createScheduledDriver()
  const clock = testClock()
  const server = await startServer({ driver: () => scheduled.driver, clock })
  const { read } = server.app.database
  // The test is about the order of things, not about their lasting.
  if (!postgres) await sql`pragma synchronous = off`.execute(read)
  const { owner, team } = await server.build.platform()
  const application = await server.build.application(owner, team)
  const choice = await server.build.choice()
  // The preparation of stacks is another matter.
  await read.updateTable('stacks').set({ state: 'ready' }).execute()
  const rows = async () => read.selectFrom('instances').selectAll().where('deleted_at', 'is', null).execute()
  const openJobs = async () => read.selectFrom('jobs').select('id').where(isOpen).execute()
  return { ...dice, ...scheduled, clock, server, read, owner, team, application, choice, rows, openJobs }
}
type World = Awaited<ReturnType<typeof open>>

/** Notes every state that is shown out of order, every call refused without a reason, and every job without its row. */
function createWitness({ server, read }: World) {
  const wrong: string[] = []
  const calls = new Set<Promise<void>>()
  const shown = new Map<string, string>()
  const gone = new Set<string>()
  /** Operations that outlived the ten minutes for which they are shown; what is observed shines through until the next. */
  const lapsed = new Set<string>()

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

  return {
    wrong,
    calls,
    lapsed,
    /** Follows a call that may be refused with these codes. */
    follow(work: Promise<unknown>, expected: readonly string[]): void {
      const call = work.then(
        () => undefined,
        (error: unknown) => {
          const code = error instanceof Failure || error instanceof ApiError ? error.code : undefined
          if (!code || !expected.includes(code)) wrong.push(String(error))
        },
      )
      calls.add(call)
      void call.finally(() => calls.delete(call))
    },
    /** An instance has an open job exactly while an operation of it is under way. */
    async checkRows(): Promise<void> {
      const rows = await read
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
      for (const row of rows) {
        if (Number(row.jobs) !== (row.in_flight === null ? 0 : 1))
          wrong.push(`${row.jobs} open jobs while ${row.in_flight}`)
        if (row.in_flight !== null && !inFlight.includes(row.in_flight)) wrong.push(`in flight: ${row.in_flight}`)
      }
    },
  }
}
type Witness = ReturnType<typeof createWitness>

/** Events of earlier operations must not be taken for those of a new one. */
async function heardAll({ server: { app } }: World): Promise<void> {
  const user = crypto.randomUUID()
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = app.bus.subscribe((event) => event.type === 'session' && event.user === user && resolve())
  await app.database.transact(async (tx) => {
    // PostgreSQL has several transactions at once: one that has claimed an instance by the time before is waited for.
    if (postgres) await sql`lock table instances in share mode`.execute(tx)
    await app.bus.publish(tx, { type: 'session', user })
  })
  await promise.finally(stop)
}

/** Does one thing after the other, by chance, without waiting for its end. */
function createActor(world: World, { follow, lapsed }: Witness) {
  const { next, pick, waiting, crash, clock, server, owner, team, application, choice, rows } = world
  let stale: Awaited<ReturnType<typeof rows>> = []
  let made = 0

  function create(): void {
    const body = { name: `line-${(made += 1)}`, applicationId: application.id, ...choice }
    follow(owner.client.call('instance.create', { body }), [])
  }
  function act(action: Action, instance: (typeof stale)[number]): void {
    const context = {
      actor: systemActor,
      instance,
      role: 99,
      teamId: team.id,
      request: undefined as never,
      reply: undefined as never,
    }
    const input = { params: { instanceId: instance.id }, query: undefined, body: undefined }
    follow(server.app.handlers[`instance.${action}`](context, input), refusals)
  }
  const remove = (instanceId: string) =>
    follow(owner.client.call('instance.delete', { params: { instanceId } }), [...refusals, 'unexpected_error'])
  /** Longer than an operation is shown. */
  async function turnClock(): Promise<void> {
    clock.turn(11 * 60_000)
    await heardAll(world)
    // Also those whose operation is just beginning: its ten minutes were counted from before.
    for (const { id } of await rows()) lapsed.add(id)
  }
  function letDriverGoOn(): void {
    const [one] = waiting.splice(Math.floor(next() * waiting.length), 1)
    const dice = next()
    one?.(dice < 0.08 ? new DriverError('scripted', 'It failed') : dice < 0.12 ? new TypeError('secret') : undefined)
  }

  return async (): Promise<void> => {
    const dice = next()
    if (dice < 0.1) stale = await rows()
    // A request's picture of the instance may be long out of date when it acts.
    const instance = pick(stale)
    if (!instance || (dice < 0.2 && (await rows()).length < kept)) create()
    else if (dice < 0.5) act(pick(actions)!, instance)
    else if (dice < 0.53) remove(instance.id)
    else if (dice < 0.58) crash(instance.id)
    else if (dice < 0.59) await turnClock()
    else letDriverGoOn()
  }
}

/** Each operation that was done left its entry, each failed start the one of its failure. */
async function expectEntries({ read, rows }: World): Promise<void> {
  const jobs = await read.selectFrom('jobs').selectAll().orderBy('id').execute()
  const entries = await read.selectFrom('audit_log').selectAll().where('scope_type', '=', 'project').execute()
  const alive = await rows()
  for (const { id, in_flight, wanted } of alive) {
    expect(in_flight).toBeNull()
    const mine = jobs.filter(({ subject }) => subject === id)
    const of = (kind: string, state: string) =>
      mine.filter((job) => job.kind === `instance.${kind}` && job.state === state).length
    const entered = (event: string) => entries.filter((entry) => entry.scope_id === id && entry.event === event).length
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
}

test.each(seeds)(
  'whatever comes in between, an instance keeps to its states (seed %i)',
  { timeout: 60_000 },
  async (seed) => {
    const world = await open(seed)
    const { next, waiting, server, openJobs } = world
    const witness = createWitness(world)
    const step = createActor(world, witness)
    for (let n = 0; n < stepsPerSeed; n++) {
      await step()
      for (let ticks = Math.floor(next() * 6); ticks > 0; ticks--) await new Promise(setImmediate)
      await witness.checkRows()
    }
    while (witness.calls.size > 0 || waiting.length > 0 || (await openJobs()).length > 0) {
      waiting.shift()?.()
      await new Promise(setImmediate)
    }
    await witness.checkRows()
    expect([...new Set(witness.wrong)]).toEqual([])
    expect(server.app.http.server.listening).toBe(true)
    await expectEntries(world)
    server.faults.splice(0)
    await server.close()
  },
)
