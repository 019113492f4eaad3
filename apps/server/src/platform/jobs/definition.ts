import type * as z from 'zod/mini'
import { jsonColumn } from '../db/json.ts'
import type { Tx } from '../db/tables.ts'
import type { JobRow } from './jobs.store.ts'

export interface StepContext<P> {
  jobId: string
  subject: string
  payload: P
  /** Tells the person who waits how far the step is. */
  report(progress: { text: string; done?: number; total?: number }): void
  /** Replaces the text of another step, where that turned out to be wrong. */
  correct(step: string, text: string): void
}

/**
 * A step may run again after a kill, so it must be idempotent. What it returns runs in the very
 * transaction that marks it done: a change of state and its audit entry happen once or not at all.
 */
export interface StepDefinition<P> {
  name: string
  run(context: StepContext<P>): Promise<((tx: Tx) => Promise<void>) | void>
}

/** Jobs of one lane wait for each other, and for no job of another lane. */
export interface Lane {
  name: string
  /** Number of jobs that are worked on at once. */
  width: number
}

export interface JobDefinition<P> {
  kind: string
  title: string
  lane?: Lane
  /** A job whose row says something else fails at once, as after a downgrade. */
  payload: z.ZodMiniType<P>
  steps: readonly StepDefinition<P>[]
  /** Once it has failed it cannot be taken up again: what it needs is gone. */
  once?: true | ((payload: P) => boolean)
  /**
   * Runs in the transaction that marks the job failed. `message` may be shown to a person; the payload is undefined when
   * it could not be read.
   */
  failed(tx: Tx, context: { subject: string; payload: P | undefined }, message: string): Promise<void>
}

/** A job as features declare it, whatever its payload: it takes rows, since only its definition can read that. */
export interface DefinedJob extends Pick<JobDefinition<unknown>, 'kind' | 'title' | 'lane'> {
  steps: readonly {
    name: string
    /** @throws Error when the payload of the row does not have the shape of its kind. */
    run(row: JobRow, context: Omit<StepContext<unknown>, 'payload'>): Promise<((tx: Tx) => Promise<void>) | void>
  }[]
  /** Whether a job that failed can be taken up again, as far as its payload says. */
  canRepeat(row: JobRow): boolean
  failed(tx: Tx, row: JobRow, message: string): Promise<void>
}

/** Makes a job for `jobs` of a `<noun>.feature.ts`. */
export function defineJob<P>({ kind, title, lane, once, steps, payload, failed }: JobDefinition<P>): DefinedJob {
  const parse = jsonColumn('jobs.payload', payload)
  const read = (row: JobRow) => parse(row.payload, row.id)
  const readable = (row: JobRow): P | undefined => {
    try {
      return read(row)
    } catch {
      return undefined
    }
  }
  return {
    kind,
    title,
    ...(lane && { lane }),
    steps: steps.map(({ name, run }) => ({
      name,
      run: async (row, context) => run({ ...context, payload: read(row) }),
    })),
    canRepeat(row) {
      const found = readable(row)
      return found !== undefined && !(typeof once === 'function' ? once(found) : once === true)
    },
    failed: (tx, row, message) => failed(tx, { subject: row.subject, payload: readable(row) }, message),
  }
}
