import type { Tx } from '../db/tables.ts'
import { jsonColumn } from '../db/json.ts'
import type { JobDefinition, StepContext } from './jobs.ts'
import type { JobRow } from './jobs.store.ts'

/** A definition as the runner has it: it takes rows, since only the definition can read its payload. */
export interface BoundJob extends Pick<JobDefinition<unknown>, 'title' | 'lane'> {
  steps: readonly {
    name: string
    /** @throws Error when the payload of the row does not have the shape of its kind. */
    run(row: JobRow, context: Omit<StepContext<unknown>, 'payload'>): Promise<((tx: Tx) => Promise<void>) | void>
  }[]
  /** Whether a job that failed can be taken up again, as far as its payload says. */
  canRepeat(row: JobRow): boolean
  failed(tx: Tx, row: JobRow, message: string): Promise<void>
}

/** Binds a definition to the schema of its payload. */
export function bindJob<P>({ title, lane, once, steps, payload, failed }: JobDefinition<P>): BoundJob {
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
