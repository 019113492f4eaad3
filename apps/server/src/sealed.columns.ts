import { features } from './features.ts'
import { properties, type SealedColumn } from './platform/keys/sealed.columns.ts'

/** The columns of the platform itself: in jobs, who forgot a password, and the passphrase of a backup. */
const ofJobs: SealedColumn = {
  table: 'jobs',
  key: ['id', 'subject'],
  column: 'payload',
  find: properties(({ subject }, { name }) => ({
    request: subject,
    passphrase: typeof name === 'string' ? name : undefined,
  })),
}

/**
 * Every column in which something is sealed under the master key. A test seals in all of them, and looks
 * through the whole database afterwards.
 */
export const sealedColumns: readonly SealedColumn[] = [...features.flatMap(({ sealed = [] }) => sealed), ofJobs]
