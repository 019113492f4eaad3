import { type SealedPlace, variables, whole } from '../../platform/keys/places.ts'
import { accessContext, secretContext, variableContext } from './instances.contexts.ts'
import { storageContext } from './storage.store.ts'

/** Where instances keep values sealed under the master key. */
export const sealedByInstances: readonly SealedPlace[] = [
  { table: 'instances', key: ['id'], column: 'credential_secret', find: whole(({ id = '' }) => secretContext(id)) },
  { table: 'instances', key: ['id'], column: 'access', find: whole(({ id = '' }) => accessContext(id)) },
  {
    table: 'instances',
    key: ['id'],
    column: 'settings',
    find: variables(({ id = '' }, name) => variableContext(id, name)),
  },
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
  {
    table: 'flow_versions',
    key: ['id', 'instance_id'],
    column: 'credentials',
    find: whole(({ instance_id = '' }) => storageContext(instance_id, 'credentials')),
  },
]
