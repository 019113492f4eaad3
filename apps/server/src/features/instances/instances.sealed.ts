import { variableContext } from '../instance-settings/index.ts'
import { type SealedColumn, variables, whole } from '../../platform/keys/sealed.columns.ts'
import { accessContext, secretContext } from './instances.contexts.ts'

/** Where instances keep values sealed under the master key. */
export const sealedByInstances: readonly SealedColumn[] = [
  { table: 'instances', key: ['id'], column: 'credential_secret', find: whole(({ id = '' }) => secretContext(id)) },
  { table: 'instances', key: ['id'], column: 'access', find: whole(({ id = '' }) => accessContext(id)) },
  {
    table: 'instances',
    key: ['id'],
    column: 'settings',
    find: variables(({ id = '' }, name) => variableContext(id, name)),
  },
]
