import { deviceEnvContext, deviceSecretContext } from './features/devices/index.ts'
import { templateVariableContext } from './features/catalogue/index.ts'
import { accessContext, secretContext, storageContext, variableContext } from './features/instances/index.ts'
import { mailContext } from './features/mail/index.ts'
import { factorContext } from './features/second-factor/index.ts'
import { properties, type SealedPlace, variables, whole } from './platform/keys/places.ts'

/**
 * Every place in the database where something is sealed under the master key. A test seals in all of them, and looks
 * through the whole database afterwards.
 */
export const sealedPlaces: readonly SealedPlace[] = [
  { table: 'instances', key: ['id'], column: 'credential_secret', find: whole(({ id = '' }) => secretContext(id)) },
  { table: 'instances', key: ['id'], column: 'access', find: whole(({ id = '' }) => accessContext(id)) },
  {
    table: 'instances',
    key: ['id'],
    column: 'settings',
    find: variables(({ id = '' }, name) => variableContext(id, name)),
  },
  {
    table: 'templates',
    key: ['id'],
    column: 'settings',
    find: variables(({ id = '' }, name) => templateVariableContext(id, name)),
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
  {
    table: 'snapshots',
    key: ['id', 'instance_id'],
    column: 'credentials_hash',
    isBlob: true,
    find: whole(({ instance_id = '' }) => storageContext(instance_id, 'credentials')),
  },
  {
    table: 'snapshots',
    key: ['id', 'instance_id'],
    column: 'settings_hash',
    isBlob: true,
    find: variables(({ instance_id = '' }, name) => variableContext(instance_id, name)),
  },
  {
    table: 'second_factors',
    key: ['id', 'user_id'],
    column: 'secret',
    find: whole(({ user_id = '' }) => factorContext(user_id)),
  },
  { table: 'mails', key: ['id'], column: 'sealed', find: whole(({ id = '' }) => mailContext(id)) },
  { table: 'devices', key: ['id'], column: 'credential_secret', find: whole(({ id = '' }) => deviceSecretContext(id)) },
  { table: 'devices', key: ['id'], column: 'env', find: whole(({ id = '' }) => deviceEnvContext(id)) },
  {
    table: 'jobs',
    key: ['id', 'subject'],
    column: 'payload',
    // Whose password is forgotten, and the passphrase of a back-up.
    find: properties(({ subject }, { name }) => ({ request: subject, passphrase: name })),
  },
]
