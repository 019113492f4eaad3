import type { LaunchSpec } from '@app/contract/instance-link'
import { randomBytes } from 'node:crypto'
import { DriverError, type InstanceSpec } from '../driver.ts'
import type { Config } from './config.ts'
import { chooseSocketDir, controlSocketOf, httpSocketOf, makePlaces, type Places } from './places.ts'
import { spawnRuntime } from './spawn.ts'
import { dropRecord, type InstanceRecord, writeRecord } from './record.store.ts'

/**
 * Starts the process of an instance and notes it. The order matters: the process gets its specification only when the
 * note is on disk, and ends without one; so a kill at any point leaves no process that nobody knows.
 * @throws DriverError
 */
export async function launch(
  config: Config,
  places: Places,
  spec: InstanceSpec,
  nodeRedPath: string,
): Promise<InstanceRecord> {
  if (process.platform !== 'linux') throw new DriverError('unsupported', 'Instances run as processes on Linux only')
  const { id, name, teamId, platformUrl, instanceUrl, token, client, credentialSecret, stack, safe } = spec
  makePlaces(places)
  const socketDir = chooseSocketDir(places.folder)
  const controlToken = randomBytes(32).toString('base64url')
  const startedAt = Date.now()
  try {
    const spawned = await spawnRuntime(config, places, id, stack.memory)
    const record: InstanceRecord = {
      version: 1,
      id,
      pid: spawned.pid,
      identity: spawned.identity,
      startedAt,
      memory: stack.memory,
      controlToken,
      socketDir,
    }
    writeRecord(places, record)
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
    }
    spawned.send(launched)
    return record
  } catch (error) {
    forget(places, { socketDir })
    throw new DriverError(
      'start_failed',
      `The process of the instance could not be started: ${(error as Error).message}`,
      { cause: error },
    )
  }
}

/** Removes the note of a process and its sockets. */
export function forget(places: Places, { socketDir }: Pick<InstanceRecord, 'socketDir'>): void {
  dropRecord(places, [httpSocketOf(socketDir), controlSocketOf(socketDir)], socketDir)
}
