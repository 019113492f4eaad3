import {
  type DeviceDetails,
  DeviceMemoryLimit,
  type DeviceNodeRed,
  type DeviceNodeRedPatch,
  type HashedNodeRed,
  KeptNodeRed,
} from '@app/contract'
import * as z from 'zod/mini'
import { jsonColumn } from '../../platform/db/json.ts'
import { fail } from '../../platform/http/failure.ts'
import { nodejsNeed } from '../deployments/index.ts'
import type { DeviceRow } from './devices.store.ts'

const readSettings = jsonColumn('devices.nodered', z.partial(KeptNodeRed))
const readLimit = jsonColumn('devices.memory_limit', DeviceMemoryLimit)
/** As for the addresses of instances: each request brings the password again. */
const bcryptCost = 8

type Owner = Pick<DeviceRow, 'id' | 'nodered'>
type Agent = Pick<DeviceRow, 'last_seen_at' | 'memory_limit'>

/** The settings of Node-RED on a device. */
export const nodeRedOf = ({ id, nodered }: Owner): KeptNodeRed => ({
  memory: null,
  version: null,
  allowList: null,
  denyList: null,
  catalogues: null,
  httpAuth: null,
  editorAuth: null,
  ...(nodered === null ? {} : readSettings(nodered, id)),
})

/** Does its agent know these settings? One that has not called yet may. */
const knowsNodeRed = ({ last_seen_at, memory_limit }: Agent) => last_seen_at === null || memory_limit !== null

/** The settings as people see them; null: its agent does not know them. */
export function nodeRedView(row: Owner & Agent & Pick<DeviceRow, 'nodejs_version'>): DeviceDetails['nodeRed'] {
  if (!knowsNodeRed(row)) return null
  const { memory, version, allowList, denyList, catalogues, httpAuth, editorAuth } = nodeRedOf(row)
  return {
    memory,
    version,
    allowList,
    denyList,
    catalogues,
    httpAuth: httpAuth && { user: httpAuth.user },
    editorAuth: editorAuth && { user: editorAuth.user },
    memoryLimit: row.memory_limit === null ? null : readLimit(row.memory_limit, row.id),
    warning: warningOf(version, row.nodejs_version),
  }
}

/** Agents of this platform bring a newer Node.js for Node-RED where that of the machine is too old. */
function warningOf(version: DeviceNodeRed['version'], nodejs: string | null): string | null {
  const need = version === null ? undefined : nodejsNeed(version)
  if (!need || nodejs === null || need.isMetBy(nodejs)) return null
  return `${need.sentence}, and this device has ${nodejs}. Its agent downloads a newer Node.js for Node-RED.`
}

type SignIn = { user: string; hash: string | undefined } | null
type Hashed = Omit<DeviceNodeRedPatch, 'httpAuth' | 'editorAuth'> & {
  httpAuth?: SignIn | undefined
  editorAuth?: SignIn | undefined
}

/** A change with hashes in the place of its passwords. */
export async function hashPasswords({ httpAuth, editorAuth, ...patch }: DeviceNodeRedPatch): Promise<Hashed> {
  return {
    ...patch,
    ...(httpAuth === undefined ? {} : { httpAuth: await hashed(httpAuth) }),
    ...(editorAuth === undefined ? {} : { editorAuth: await hashed(editorAuth) }),
  }
}

async function hashed(given: NonNullable<DeviceNodeRedPatch['httpAuth']> | null): Promise<SignIn> {
  if (given === null) return null
  const { user, password } = given
  if (password === undefined) return { user, hash: undefined }
  const { default: bcrypt } = await import('bcryptjs')
  return { user, hash: await bcrypt.hash(password, bcryptCost) }
}

/**
 * The column that keeps changed settings, and the change by its fields for the audit log.
 * @throws Failure agent_outdated where the agent does not know these settings; invalid_request for a name without a
 * password.
 */
export function nodeRedChange(row: Owner & Agent, patch: Hashed | undefined) {
  const before = nodeRedOf(row)
  if (patch === undefined) return { columns: {}, before: {}, after: {} }
  if (!knowsNodeRed(row))
    throw fail(
      'agent_outdated',
      'The agent of the device does not know the settings of Node-RED. Install the agent of FlowForge.',
    )
  const { httpAuth, editorAuth, ...plain } = patch
  const after: KeptNodeRed = {
    ...before,
    ...plain,
    httpAuth: signIn('httpAuth', httpAuth, before.httpAuth),
    editorAuth: signIn('editorAuth', editorAuth, before.editorAuth),
  }
  const kept = Object.entries(after).filter(([, value]) => value !== null)
  const nodered = kept.length === 0 ? null : JSON.stringify(Object.fromEntries(kept))
  return { columns: { nodered }, before: named(before), after: named(after) }
}

function signIn(name: 'httpAuth' | 'editorAuth', given: SignIn | undefined, before: KeptNodeRed['httpAuth']) {
  if (given === undefined) return before
  if (given === null) return null
  const hash = given.hash ?? before?.hash
  if (hash === undefined) throw fail('invalid_request', 'Enter a password', { field: `nodeRed.${name}.password` })
  return { user: given.user, hash }
}

/** The settings that come with those of the device. The memory limit waits for a restart, and is told by itself. */
export function hashedNodeRed(row: Owner): HashedNodeRed {
  const { memory: _memory, ...settings } = nodeRedOf(row)
  return settings
}

/** The part of them that the hash names; nothing where none is set. */
export function inHash(row: Owner): [] | [object] {
  const kept = Object.entries(hashedNodeRed(row)).filter(([, value]) => value !== null)
  return kept.length === 0 ? [] : [Object.fromEntries(kept)]
}

/** As the audit log names them; it hides what is called a password. */
const named = ({ httpAuth, editorAuth, ...plain }: KeptNodeRed): Record<string, unknown> => ({
  ...Object.fromEntries(Object.entries(plain).map(([name, value]) => [`nodeRed.${name}`, textOf(value)])),
  ...namedSignIn('httpAuth', httpAuth),
  ...namedSignIn('editorAuth', editorAuth),
})

const namedSignIn = (name: string, auth: KeptNodeRed['httpAuth']) => ({
  [`nodeRed.${name}.user`]: auth?.user ?? null,
  [`nodeRed.${name}.password`]: auth?.hash ?? null,
})

/** Lists are compared, and shown in the audit log, as forms hold them. */
const textOf = (value: unknown) => (Array.isArray(value) ? value.join(', ') : value)
