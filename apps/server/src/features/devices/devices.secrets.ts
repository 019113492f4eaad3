import { EnvEntry } from '@app/contract'
import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import type { Vault } from '../../platform/crypto.ts'
import { jsonColumn } from '../../platform/db/json.ts'
import { inHash } from './devices.nodered.ts'
import { inherited } from './devices.protection.ts'
import type { DeviceRow, ToldDevice } from './devices.store.ts'

/** Where a device keeps what is sealed. */
export const secretContext = (id: string) => `device:${id}:credentialSecret`
export const envContext = (id: string) => `device:${id}:env`

const readEnv = jsonColumn('devices.env', z.array(EnvEntry))

type Owner = Pick<DeviceRow, 'id' | 'env'>

/** The variables of a device of its own, in clear. */
export const openEnv = (vault: Vault, { id, env }: Owner): EnvEntry[] =>
  env === null ? [] : readEnv(vault.open(env, envContext(id)), id)

/** The columns that keep these variables, and what follows from them. */
export function settingsColumns(
  vault: Vault,
  { id, name, type, nodered }: Pick<DeviceRow, 'id' | 'name' | 'type' | 'nodered'>,
  env: readonly EnvEntry[],
): Pick<DeviceRow, 'name' | 'type' | 'search_key' | 'env' | 'settings_hash'> {
  return {
    name,
    type,
    search_key: `${name} ${type}`.toLowerCase(),
    env: env.length === 0 ? null : vault.seal(JSON.stringify(env), envContext(id)),
    // Without settings of Node-RED it is the hash that devices have had before there were any.
    settings_hash: hashOf([name, type, env.map((entry) => [entry.name, entry.value]), ...inHash({ id, nodered })]),
  }
}

/**
 * The hash by which an agent knows that its settings are another's; those of the platform name the snapshot, and the
 * protection that comes from the instance.
 */
export function settingsHash(row: ToldDevice): string {
  const protection = inherited(row)
  return hashOf([row.settings_hash, row.wanted_id, ...(protection ? [protection] : [])])
}

const hashOf = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex')
