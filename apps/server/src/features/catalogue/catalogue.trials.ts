import type { StackState } from '@app/contract'
import type { Driver, Report } from '@app/drivers'
import type { Logger } from 'pino'
import * as z from 'zod/mini'
import type { Database } from '../../platform/db/database.ts'
import { fail } from '../../platform/http/failure.ts'
import { defineJob, type Lane } from '../../platform/jobs/definition.ts'
import type { Jobs } from '../../platform/jobs/jobs.ts'
import {
  findStack,
  hasReadyStack,
  type InstanceTypeRow,
  listUntried,
  setStackState,
  type StackRow,
} from './catalogue.store.ts'
import { stackProperties } from './catalogue.view.ts'

export interface TrialDependencies {
  database: Database
  jobs: Jobs
  driver: Driver
  log: Logger
}

/** Jobs of the platform itself belong to no team; its administrators hear of them. */
const platformTeam = 'platform'
/** One after the other: each has npm, the disk and the network to itself. */
const lane: Lane = { name: 'stack', width: 1 }
const kind = 'stack.prepare'

export type Trials = ReturnType<typeof createTrials>

/** Fetches stacks and starts each once on trial before anybody can choose it. What came of it is recorded. */
export function createTrials({ database, jobs, driver, log }: TrialDependencies) {
  const setState = (id: string, state: StackState) => database.transact((tx) => setStackState(tx, id, state, null))

  const prepareJob = defineJob({
    kind,
    title: 'Prepare stack',
    lane,
    payload: z.object({}),
    steps: [
      {
        name: 'Fetch and try Node-RED',
        async run({ subject, report }) {
          const row = await findStack(database.read, subject)
          if (!row) return
          await setState(subject, 'installing')
          let tried: Promise<void> | undefined
          const tell: Report = ({ verifying, ...progress }) => {
            report(progress)
            if (verifying) tried ??= setState(subject, 'verifying')
          }
          try {
            await driver.installStack(stackProperties(row), tell)
          } finally {
            // The record of the end must be the last.
            await tried
          }
          return (tx) => setStackState(tx, subject, 'ready', null)
        },
      },
    ],
    failed: (tx, { subject }, message) => setStackState(tx, subject, 'failed', message),
  })

  async function prepare(row: StackRow): Promise<boolean> {
    if (await driver.hasStack(stackProperties(row))) {
      await setState(row.id, 'ready')
      return true
    }
    // Former failures are over.
    if (row.state === 'failed') await setState(row.id, 'waiting')
    const job = { subject: row.id, teamId: platformTeam, payload: {} }
    await database.transact((tx) => jobs.enqueue(tx, kind, job))
    return false
  }

  return {
    prepareJob,
    /** True if the driver has it, and it is ready; otherwise it is being prepared from now on. */
    prepare,

    /** Prepares every active stack that is not ready, also one that failed before. */
    async start(): Promise<void> {
      for (const row of await listUntried(database.read))
        await prepare(row).catch((error: unknown) => log.error({ err: error, stack: row.id }, 'stack not prepared'))
    },

    /**
     * Lets a stack pass that can be chosen. While a type has none at all, its default passes as well: the first
     * instance of a new platform waits for it as the first step of its own start.
     * @throws Failure invalid_stack that says why.
     */
    async check(row: StackRow, type: InstanceTypeRow): Promise<void> {
      if (row.state === 'ready' || (await prepare(row))) return
      const name = row.label || row.name
      const refuse = (sentence: string) => fail('invalid_stack', sentence, { field: 'stack' })
      if (row.state === 'failed')
        throw refuse(`${name} could not be prepared, and is being tried again. The reason was: ${row.reason}`)
      if (row.id === type.default_stack_id && !(await hasReadyStack(database.read, type.id))) return
      throw refuse(`${name} is still being prepared; it can be chosen as soon as it has been started on trial`)
    },
  }
}
