import type { LaunchSpec } from '@app/contract/instance-link'
import { createHash, randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { DriverError, type Hold, type InstanceSpec, type Slot } from '../../driver.ts'
import { keyOf } from '../../slots.ts'
import type { Config } from '../config.ts'
import type { Confinement } from '../confinement/confinement.ts'
import { controlSocketOf, httpSocketOf, type Paths } from '../paths.ts'
import type { Pool } from '../pool/pool.ts'
import { spawnRuntime, type SpawnOptions, type Waiting } from './spawn.ts'
import { nodeIn } from '../stacks/stack.node.ts'
import { trainingOf } from '../pool/training.ts'
import { dropRecord, type InstanceRecord, writeRecord } from '../record.store.ts'

export interface Launched {
  record: InstanceRecord
  /** It waited in the pool. */
  waited: boolean
}

export interface LaunchOptions {
  nodeRedPath: string
  slot: Slot
  part?: InstanceRecord['part']
  hold?: Hold
}

/**
 * Starts the process of an instance, or takes one that waits for it, and notes it. The order matters: the process gets
 * its specification only when the note is on disk, and ends without one; so a kill at any point leaves no process that
 * nobody knows.
 * @throws DriverError
 */
export async function launch(
  { config, pool, confinement }: { config: Config; pool: Pool | undefined; confinement: Confinement },
  paths: Paths,
  spec: InstanceSpec,
  { nodeRedPath, slot, part, hold }: LaunchOptions,
): Promise<Launched> {
  if (process.platform !== 'linux') throw new DriverError('unsupported', 'Instances run as processes on Linux only')
  const { id, name, teamId, platformUrl, instanceUrl, token, client, credentialSecret, stack, safe } = spec
  const key = keyOf(id, slot)
  const { account, socketDir } = confinement.prepare(paths, nodeRedPath)
  const controlToken = randomBytes(32).toString('base64url')
  const startedAt = Date.now()
  let spawned: Waiting | undefined
  try {
    const waiting = pool?.claim(stack, paths.output)
    spawned = waiting ?? (await spawnCold(config, paths, { label: key, memory: stack.memory }, nodeRedPath))
    const record: InstanceRecord = {
      version: 1,
      id: key,
      pid: spawned.pid,
      identity: spawned.identity,
      label: spawned.label,
      startedAt,
      memory: stack.memory,
      controlToken,
      socketDir,
      ...(safe ? { safe } : {}),
      ...(part ? { part } : {}),
      ...(hold ? { held: true } : {}),
    }
    writeRecord(paths, record)
    await confinement.confine(key, spawned.pid, stack.memory)
    const whole: LaunchSpec = {
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
      ...(spec.filesDir === undefined ? {} : { filesDir: spec.filesDir }),
      logDir: paths.logDir,
      httpSocket: httpSocketOf(socketDir),
      controlSocket: controlSocketOf(socketDir),
      controlToken,
      src: srcOf(slot),
      ...(slot === 0 ? {} : { slot }),
      ...(safe ? { safe } : {}),
      ...(part === 'beside' ? { onTrial: true } : {}),
      ...(hold ? { hold } : {}),
      ...account,
    }
    spawned.send(whole)
    return { record, waited: waiting !== undefined }
  } catch (error) {
    spawned?.end()
    forget(paths, { socketDir })
    throw new DriverError(
      'start_failed',
      `The process of the instance could not be started: ${(error as Error).message}`,
      { cause: error },
    )
  }
}

/** By what log entries tell which process of an instance wrote them, on which machine. */
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
