import { features } from './features.ts'
import { properties, type SealedPlace } from './platform/keys/places.ts'

/** Places of the platform itself: whose password is forgotten, and the passphrase of a backup. */
const ofJobs: SealedPlace = {
  table: 'jobs',
  key: ['id', 'subject'],
  column: 'payload',
  find: properties(({ subject }, { name }) => ({ request: subject, passphrase: name })),
}

/**
 * Every place in the database where something is sealed under the master key. A test seals in all of them, and looks
 * through the whole database afterwards.
 */
export const sealedPlaces: readonly SealedPlace[] = [...features.flatMap(({ sealed = [] }) => sealed), ofJobs]
