import type { LaunchSpec } from '@app/contract/instance-link'
import { createHash, randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { DriverError, type Hold, type InstanceSpec, type Slot } from '../../driver.ts'
import { proofOf } from '../../proven.ts'
import { keyOf } from '../../slots.ts'
import type { Config } from '../config.ts'
import type { Confinement } from '../confinement/confinement.ts'
import { controlSocketOf, httpSocketOf, type Paths } from '../paths.ts'
import type { ProcessPool } from '../pool/pool.processes.ts'
import { spawnRuntime, type SpawnOptions, type Waiting } from './spawn.ts'
import { nodeIn } from '../stacks/stack.node.ts'
import { trainingOf } from '../pool/training.ts'
import { type Account, dropRecord, type InstanceRecord, writeRecord } from '../record.store.ts'

export interface Launched {
  record: InstanceRecord
  /** It waited in the pool. */
  waited: boolean
}

export interface LaunchOptions {
  /** Folder of the stack. */
  nodeRedPath: string
  slot: Slot
  part?: InstanceRecord['part']
  hold?: Hold
  /** None that has waited will do. */
  isFresh?: boolean
}

/** The part of a record that is known before its process exists. */
export type Plan = Pick<InstanceRecord, 'controlToken' | 'socketDir' | 'startedAt'> & {
  account?: Account
  /** It answers on this TCP port, instead of sockets. */
  port?: number
}

/** A plan for a process that is started now. */
export const planFor = (place: Pick<Plan, 'socketDir' | 'account' | 'port'>): Plan => ({
  ...place,
  controlToken: randomBytes(32).toString('base64url'),
  startedAt: Date.now(),
})

/** The record of a process to be; `found` tells how it is found again. */
export const recordOf = (
  { id, stack: { memory }, safe }: InstanceSpec,
  { slot, part, hold }: LaunchOptions,
  { controlToken, socketDir, startedAt }: Plan,
  found: Pick<InstanceRecord, 'identity' | 'pid' | 'label' | 'container' | 'service' | 'pod' | 'address'>,
): InstanceRecord => ({
  version: 1,
  id: keyOf(id, slot),
  ...found,
  startedAt,
  memory,
  controlToken,
  socketDir,
  ...(safe ? { safe } : {}),
  ...(part ? { part } : {}),
  ...(hold ? { held: true } : {}),
})

/** The whole specification of a process, for the process alone. */
export function launchSpecOf(
  paths: Paths,
  { id, name, teamId, platformUrl, instanceUrl, token, client, credentialSecret, filesDir, safe }: InstanceSpec,
  { nodeRedPath, slot, part, hold }: LaunchOptions,
  { controlToken, socketDir, account, port }: Plan,
): LaunchSpec {
  return {
    id,
    name,
    teamId,
    platformUrl,
    instanceUrl,
    token,
    client,
    credentialSecret,
    nodeRedPath,
    userDir: paths.userDir,
    ...(filesDir === undefined ? {} : { filesDir }),
    logDir: paths.logDir,
    answersAt:
      port === undefined
        ? { http: httpSocketOf(socketDir), control: controlSocketOf(socketDir) }
        : { port, keys: { http: proofOf(controlToken, 'http'), control: proofOf(controlToken, 'control') } },
    controlToken,
    src: srcOf(slot),
    ...(slot === 0 ? {} : { slot }),
    ...(safe ? { safe } : {}),
    ...(part === 'candidate' ? { onTrial: true } : {}),
    ...(hold ? { hold } : {}),
    ...account,
  }
}

/**
 * Starts the process of an instance, or takes one that waits for it, and notes it. The order matters: the process gets
 * its specification only when the note is on disk, and ends without one; so a kill at any point leaves no process that
 * nobody knows.
 * @throws DriverError
 */
export async function launch(
  { config, pool, confinement }: { config: Config; pool: ProcessPool; confinement: Confinement },
  paths: Paths,
  spec: InstanceSpec,
  options: LaunchOptions,
): Promise<Launched> {
  if (process.platform !== 'linux') throw new DriverError('unsupported', 'Instances run as processes on Linux only')
  const { stack } = spec
  const { nodeRedPath, slot, isFresh } = options
  const key = keyOf(spec.id, slot)
  const plan = planFor(await confinement.prepare(paths, nodeRedPath))
  let spawned: Waiting | undefined
  try {
    const waiting = isFresh ? undefined : pool.claim(stack, paths.output)
    spawned = waiting ?? (await spawnCold(config, paths, { label: key, memory: stack.memory }, nodeRedPath))
    const { pid, identity, label } = spawned
    const record = recordOf(spec, options, plan, { pid, identity, label })
    writeRecord(paths, record)
    await confinement.confine(key, pid, stack.memory)
    spawned.send(launchSpecOf(paths, spec, options, plan))
    return { record, waited: waiting !== undefined }
  } catch (error) {
    spawned?.end()
    forget(paths, plan)
    throw startFailed(error)
  }
}

/** The error of a process that could not be started. */
export const startFailed = (cause: unknown): DriverError =>
  new DriverError('start_failed', `The process of the instance could not be started: ${(cause as Error).message}`, {
    cause,
  })

/** Label by which log entries tell which process of an instance wrote them, on which machine. */
export const srcOf = (slot: Slot): string =>
  createHash('sha256')
    .update(slot === 0 ? hostname() : `${hostname()} ${slot}`)
    .digest('hex')
    .slice(0, 4)

/** It loads what it will need as one that waits would, while it is told whose it is. */
function spawnCold(
  config: Config,
  { output }: Paths,
  options: Pick<SpawnOptions, 'label' | 'memory'>,
  nodeRedPath: string,
) {
  const training = trainingOf(config, nodeRedPath)
  const node = nodeIn(nodeRedPath)
  return spawnRuntime(config, { ...options, node, output, ...(training && { training }) })
}

/** Removes the note of a process and its sockets. */
export function forget(paths: Paths, { socketDir }: Pick<InstanceRecord, 'socketDir'>): void {
  dropRecord(paths, [httpSocketOf(socketDir), controlSocketOf(socketDir)], socketDir)
}
