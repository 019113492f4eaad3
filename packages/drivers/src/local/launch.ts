import type { LaunchSpec } from '@app/contract/instance-link'
import { randomBytes } from 'node:crypto'
import { DriverError, type InstanceSpec } from '../driver.ts'
import type { Config } from './config.ts'
import type { Confinement } from './confinement.ts'
import { controlSocketOf, httpSocketOf, type Places } from './places.ts'
import type { Pool } from './pool.ts'
import { spawnRuntime, type Waiting } from './spawn.ts'
import { nodeIn } from './stack.node.ts'
import { trainingOf } from './training.ts'
import { dropRecord, type InstanceRecord, writeRecord } from './record.store.ts'

/**
 * Starts the process of an instance, or takes one that waits for it, and notes it. The order matters: the process gets
 * its specification only when the note is on disk, and ends without one; so a kill at any point leaves no process that
 * nobody knows.
 * @throws DriverError
 */
export async function launch(
  { config, pool, confinement }: { config: Config; pool: Pool; confinement: Confinement },
  places: Places,
  spec: InstanceSpec,
  nodeRedPath: string,
): Promise<InstanceRecord> {
  if (process.platform !== 'linux') throw new DriverError('unsupported', 'Instances run as processes on Linux only')
  const { id, name, teamId, platformUrl, instanceUrl, token, client, credentialSecret, stack, safe } = spec
  const { account, socketDir } = confinement.prepare(places, nodeRedPath)
  const controlToken = randomBytes(32).toString('base64url')
  const startedAt = Date.now()
  let spawned: Waiting | undefined
  try {
    spawned = pool.claim(stack, places.output) ?? (await spawnCold(config, places, spec, nodeRedPath))
    const record: InstanceRecord = {
      version: 1,
      id,
      pid: spawned.pid,
      identity: spawned.identity,
      label: spawned.label,
      startedAt,
      memory: stack.memory,
      controlToken,
      socketDir,
      ...(safe ? { safe } : {}),
    }
    writeRecord(places, record)
    await confinement.confine(id, spawned.pid, stack.memory)
    const launched: LaunchSpec = {
      id,
      name,
      teamId,
      platformUrl,
      instanceUrl,
      token,
      client,
      credentialSecret,
      nodeRedPath,
      userDir: places.userDir,
      logDir: places.logDir,
      httpSocket: httpSocketOf(socketDir),
      controlSocket: controlSocketOf(socketDir),
      controlToken,
      ...(safe ? { safe } : {}),
      ...account,
    }
    spawned.send(launched)
    return record
  } catch (error) {
    spawned?.end()
    forget(places, { socketDir })
    throw new DriverError(
      'start_failed',
      `The process of the instance could not be started: ${(error as Error).message}`,
      { cause: error },
    )
  }
}

/** It loads what it will need as one that waits would, while it is told whose it is. */
function spawnCold(config: Config, { output }: Places, { id, stack }: InstanceSpec, nodeRedPath: string) {
  const training = trainingOf(config, nodeRedPath)
  const node = nodeIn(nodeRedPath)
  return spawnRuntime(config, { label: id, memory: stack.memory, node, output, ...(training && { training }) })
}

/** Removes the note of a process and its sockets. */
export function forget(places: Places, { socketDir }: Pick<InstanceRecord, 'socketDir'>): void {
  dropRecord(places, [httpSocketOf(socketDir), controlSocketOf(socketDir)], socketDir)
}
