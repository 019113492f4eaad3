import type { JobStep } from '@app/contract'
import type { Tx } from '../db/tables.ts'
import { iso } from '../clock.ts'
import { lacksDescriptors, outOfDescriptors } from '../descriptors.ts'
import type { DefinedJob } from './definition.ts'
import type { JobsDependencies } from './jobs.ts'
import { type JobRow, jobView, saveJob, stepsOf } from './jobs.store.ts'

interface RunDependencies extends JobsDependencies {
  /** The holder may write; it was made for this run alone. */
  lease: string
  stopped(): boolean
}

class LeaseLost extends Error {}

const reportEveryMs = 250

/** Errors made for people have one of these names; any other is a defect and is logged, not shown. */
const shown = new Set(['DriverError', 'Failure'])

/**
 * Runs the steps of a job that are not done yet, recording each. A failed step ends the job.
 * A lost lease or a stopping server leaves the job to the next owner.
 */
export async function runJob(deps: RunDependencies, definition: DefinedJob, row: JobRow): Promise<void> {
  const { database, bus, clock, log, lease } = deps
  const steps = stepsOf(row)
  let current = row
  let active: JobStep | undefined
  let saving: Promise<void> = Promise.resolve()

  /**
   * One after the other, each with the steps as they are now: a late word of progress must neither be
   * written over the end of its step nor tell of that end without what belongs to it.
   */
  function save(change: Partial<JobRow>, also?: (tx: Tx) => Promise<void>): Promise<void> {
    const changed = { ...change, steps: JSON.stringify(steps) }
    const mine = saving.then(() => write(changed, also))
    saving = mine.catch(() => undefined)
    return mine
  }

  async function write(changed: Partial<JobRow>, also?: (tx: Tx) => Promise<void>): Promise<void> {
    await database.transact(async (tx) => {
      if (!(await saveJob(tx, lease, row.id, changed))) throw new LeaseLost()
      current = { ...current, ...changed }
      await also?.(tx)
      await bus.publish(tx, { type: 'job', team: row.team_id, subject: row.subject, job: jobView(current) })
    })
  }

  const now = () => iso(clock.now())
  try {
    for (const [index, step] of definition.steps.entries()) {
      const record = steps[index]
      if (!record || record.state === 'done') continue
      if (deps.stopped()) return
      active = record
      Object.assign(record, { state: 'running', startedAt: record.startedAt ?? now() })
      await save({})
      const reporter = throttle(reportEveryMs, () => void save({}).catch(() => undefined))
      const commit = await step
        .run(row, {
          jobId: row.id,
          subject: row.subject,
          report(progress) {
            Object.assign(record, progress)
            reporter.call()
          },
          correct(name, text) {
            const other = steps.find((one) => one.name === name)
            if (other) Object.assign(other, { text })
            reporter.call()
          },
        })
        .finally(reporter.cancel)
      Object.assign(record, { state: 'done', endedAt: now() })
      const last = index === definition.steps.length - 1
      await save(last ? { state: 'done', ended_at: clock.now(), lease_owner: null } : {}, commit ?? undefined)
    }
  } catch (error) {
    if (error instanceof LeaseLost || deps.stopped()) return
    const known = error instanceof Error && shown.has(error.name)
    const message = lacksDescriptors(error)
      ? outOfDescriptors
      : known
        ? error.message
        : 'Something went wrong on the server'
    log[known ? 'warn' : 'error']({ err: error, job: row.id, kind: row.kind }, 'job failed')
    if (active) Object.assign(active, { state: 'failed', endedAt: now(), text: message })
    await save({ state: 'failed', ended_at: clock.now(), error: message, lease_owner: null }, (tx) =>
      definition.failed(tx, row, message),
    )
  }
}

/** Calls at most every `ms`, and once more for what came in between. */
function throttle(ms: number, action: () => void): { call(): void; cancel(): void } {
  let timer: NodeJS.Timeout | undefined
  return {
    call() {
      timer ??= setTimeout(() => {
        timer = undefined
        action()
      }, ms)
    },
    cancel() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
