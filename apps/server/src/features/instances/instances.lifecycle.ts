import { type Driver, DriverError } from '@app/drivers'
import type { Logger } from 'pino'
import { type Actor, systemActor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import { hashToken, newToken, type Vault } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import type { Bus } from '../../platform/events/bus.ts'
import type { JobDefinition, Jobs, StepContext, StepDefinition } from '../../platform/jobs/jobs.ts'
import type { Audit } from '../audit/index.ts'
import { stackProperties } from '../catalogue/index.ts'
import { teamRef } from '../teams/index.ts'
import type { Tokens } from '../tokens/index.ts'
import { deleteInstance, findWhole, type InstanceRow, updateInstance, type WholeInstance } from './instances.store.ts'
import { type Addresses, stateView } from './instances.view.ts'

export interface LifecycleDependencies {
  database: Database
  bus: Bus
  clock: Clock
  log: Logger
  jobs: Jobs
  audit: Audit
  tokens: Tokens
  driver: Driver
  vault: Vault
  addresses: Addresses
  /** Address of the platform as instances on this machine reach it. */
  platformUrl: string
}

/** What every operation on an instance remembers: who asked for it. */
export interface Operation {
  actor: Actor
}

export const instanceRef = ({ id, name }: Pick<InstanceRow, 'id' | 'name'>) => ({ id, name })
/** The context that ties a sealed credential secret to its instance. */
export const secretContext = (id: string) => `instance:${id}:credential-secret`

const startTimeoutMs = 120_000

/** Declares the jobs that start, stop, restart, suspend and delete an instance. */
export function defineLifecycle(deps: LifecycleDependencies): void {
  const { database, bus, clock, jobs, audit, tokens, driver } = deps
  type Context = StepContext<Operation>

  async function instance(id: string): Promise<WholeInstance> {
    const row = await findWhole(database.read, id)
    if (!row) throw new DriverError('gone', 'The instance was deleted in the meantime')
    return row
  }
  const stackOf = (row: WholeInstance) => stackProperties({ properties: row.stack_properties })
  const place = (row: { id: string; team_id: string }) => ({ type: 'project' as const, id: row.id, team: row.team_id })

  /** Ends the flight with a new wanted state and tells the browsers. */
  async function land(tx: Tx, id: string, change: Partial<InstanceRow>): Promise<void> {
    const row = await updateInstance(tx, id, {
      ...change,
      in_flight: null,
      in_flight_until: 0,
      updated_at: clock.now(),
    })
    if (row)
      await bus.publish(tx, {
        type: 'instance',
        team: row.team_id,
        application: row.application_id,
        id,
        state: stateView(row, clock.now()),
      })
  }

  const prepare: StepDefinition<Operation> = {
    name: 'Prepare Node-RED',
    async run({ subject, report }: Context) {
      const stack = stackOf(await instance(subject))
      if (!(await driver.hasStack(stack))) await driver.installStack(stack, report)
      report({ text: `Node-RED ${stack.nodered}` })
    },
  }

  const end: StepDefinition<Operation> = {
    name: 'Stop Node-RED',
    run: async ({ subject }: Context) => driver.stop(subject),
  }

  const begin: StepDefinition<Operation> = {
    name: 'Start Node-RED',
    async run({ subject }: Context) {
      const row = await instance(subject)
      // A process left by an interrupted try holds secrets that are about to be replaced.
      await driver.stop(subject)
      const client = { id: newToken('ffp'), secret: newToken('ffs') }
      const token = await database.transact(async (tx) => {
        await updateInstance(tx, subject, { client_id: client.id, client_secret_hash: hashToken(client.secret) })
        return tokens.forInstance(tx, row)
      })
      await driver.start({
        id: row.id,
        name: row.name,
        teamId: row.team_id,
        stack: stackOf(row),
        platformUrl: deps.platformUrl,
        instanceUrl: deps.addresses.instanceUrl(row.name),
        token,
        client,
        credentialSecret: deps.vault.open(row.credential_secret, secretContext(row.id)),
      })
    },
  }

  function waitUntilUp(
    change: Partial<InstanceRow>,
    event: 'project.started' | 'project.restarted' | undefined,
  ): StepDefinition<Operation> {
    return {
      name: 'Wait for Node-RED to answer',
      async run(context: Context) {
        const { subject, payload } = context
        const row = await instance(subject)
        // After a kill it may have gone down together with the server that had started it.
        if ((await driver.status(subject)).state === 'stopped') await begin.run(context)
        try {
          await up(driver, subject)
        } catch (error) {
          await driver.stop(subject)
          throw error
        }
        const status = await driver.status(subject)
        return async (tx) => {
          if (event) await audit.record(tx, payload.actor, event, place(row), { project: instanceRef(row) })
          await land(tx, subject, {
            ...change,
            observed: status.state,
            reason: null,
            last_start_at: status.lastStartTime ?? clock.now(),
            versions: status.versions ? JSON.stringify(status.versions) : row.versions,
          })
        }
      },
    }
  }

  function settle(
    name: string,
    change: Partial<InstanceRow>,
    event: 'project.stopped' | 'project.suspended',
  ): StepDefinition<Operation> {
    return {
      name,
      async run({ subject, payload }: Context) {
        const row = await instance(subject)
        return async (tx) => {
          await audit.record(tx, payload.actor, event, place(row), { project: instanceRef(row) })
          await land(tx, subject, { ...change, observed: 'stopped', reason: null })
        }
      },
    }
  }

  const erase: StepDefinition<Operation> = {
    name: 'Remove files and history',
    async run({ subject, payload }: Context) {
      const row = await findWhole(database.read, subject)
      await driver.remove(subject)
      if (!row) return
      return async (tx) => {
        const team = teamRef({ id: row.team_id, name: row.team_name, slug: row.team_slug })
        const body = { team, project: instanceRef(row) }
        await audit.record(
          tx,
          payload.actor,
          'project.deleted',
          { type: 'team', id: row.team_id, team: row.team_id },
          body,
        )
        await audit.record(tx, payload.actor, 'project.deleted', { type: 'project', id: row.id }, body)
        await deleteInstance(tx, subject)
        await jobs.forget(tx, subject)
        await bus.publish(tx, {
          type: 'instance.deleted',
          team: row.team_id,
          application: row.application_id,
          id: subject,
        })
      }
    },
  }

  /** `change`: what a failure leaves behind, beside an ended flight. */
  function failing(change: Partial<InstanceRow>, event: boolean): JobDefinition<Operation>['failed'] {
    return async (tx, { subject, payload }, message) => {
      const row = await findWhole(tx, subject)
      if (!row) return
      if (event)
        await audit.record(tx, payload.actor, 'project.start-failed', place(row), {
          error: { code: 'start_failed', message },
        })
      await land(tx, subject, { ...change, reason: message })
    }
  }

  const running = { wanted: 'running' as const }
  const suspended = { wanted: 'suspended' as const }
  const define = (
    kind: string,
    title: string,
    steps: StepDefinition<Operation>[],
    failed: JobDefinition<Operation>['failed'],
  ) => jobs.define<Operation>({ kind, title, steps, failed })

  define(
    'instance.create',
    'Create instance',
    [prepare, begin, waitUntilUp(running, undefined)],
    failing(suspended, true),
  )
  define(
    'instance.start',
    'Start instance',
    [prepare, begin, waitUntilUp(running, 'project.started')],
    failing({}, true),
  )
  define(
    'instance.restart',
    'Restart instance',
    [prepare, end, begin, waitUntilUp(running, 'project.restarted')],
    failing({}, true),
  )
  define(
    'instance.stop',
    'Stop instance',
    [end, settle('Record the stop', { wanted: 'stopped' }, 'project.stopped')],
    failing({}, false),
  )
  define(
    'instance.suspend',
    'Suspend instance',
    [end, settle('Record the suspension', suspended, 'project.suspended')],
    failing({}, false),
  )
  define('instance.delete', 'Delete instance', [end, erase], failing({}, false))
}

/** Resolves when the instance runs; a crash or two minutes of silence is a DriverError. */
async function up(driver: Driver, id: string): Promise<void> {
  const wait = Promise.withResolvers<void>()
  // It may end while the status is being asked for, when nobody waits for this yet.
  wait.promise.catch(() => undefined)
  const judge = (status: Awaited<ReturnType<Driver['status']>>) => {
    if (status.state === 'running' || status.state === 'safe') wait.resolve()
    if (status.state === 'crashed' || status.state === 'error' || status.state === 'stopped') {
      wait.reject(
        new DriverError('start_failed', status.reason ?? 'Node-RED ended before it answered; its log says why'),
      )
    }
  }
  const unwatch = driver.watch((changed, status) => {
    if (changed === id) judge(status)
  })
  const timer = setTimeout(
    () => wait.reject(new DriverError('start_timeout', 'Node-RED did not answer within two minutes')),
    startTimeoutMs,
  )
  try {
    judge(await driver.status(id))
    await wait.promise
  } finally {
    unwatch()
    clearTimeout(timer)
  }
}

export const bySystem: Operation = { actor: systemActor }
