import { features } from './features.ts'
import { properties, type SealedColumn } from './platform/keys/sealed.columns.ts'

/** Places of the platform itself: whose password is forgotten, and the passphrase of a backup. */
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
 * Every place in the database where something is sealed under the master key. A test seals in all of them, and looks
 * through the whole database afterwards.
 */
export const sealedPlaces: readonly SealedColumn[] = [...features.flatMap(({ sealed = [] }) => sealed), ofJobs]
