import { type SealedColumn, whole } from '../../platform/keys/sealed.columns.ts'
import { storageContext } from './storage.store.ts'

/** Where the storage of Node-RED keeps values sealed under the master key. */
export const sealedInStorage: readonly SealedColumn[] = [
  {
    table: 'instance_storage',
    key: ['instance_id', 'kind'],
    column: 'body',
    // Flows are not sealed, and what looks so in them is text of theirs.
    find: (row, text) =>
      row.kind === 'flows'
        ? []
        : whole(({ instance_id = '', kind }) => storageContext(instance_id, kind as 'settings'))(row, text),
  },
]
