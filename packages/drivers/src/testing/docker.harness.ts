import { containerUrl } from '@app/contract'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConformanceHarness } from '../conformance.ts'
import { familyOf, labels } from '../local/containers/shared.ts'
import type { LocalDriverConfig } from '../local/index.ts'
import type { Machine } from '../local/machine.ts'
import { argumentsOf } from '../local/process/identity.ts'
import { docker, image } from './docker.image.ts'
import { openLocal, readRecord } from './local.harness.ts'

export { docker, ensureImage } from './docker.image.ts'

/** The engine of the tests: that of DOCKER_HOST, else the one of the machine. */
const engineSocket = (process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock').replace(/^unix:\/\//, '')

/** The settings of a driver that starts instances in containers. */
export const containersFor = (
  platformUrl: string,
  socket: string = engineSocket,
): NonNullable<LocalDriverConfig['containers']> => ({
  socket,
  image,
  network: 'flowforge-test',
  platformUrl,
})

/** A driver with containers of a real engine over one temporary home, with a platform for their instances. */
export async function openDocker(socket?: string, more: Partial<LocalDriverConfig> = {}, machine?: Machine) {
  const local = await openLocal(
    (platformUrl) => ({
      drivers: ['docker', 'local'],
      containers: containersFor(containerUrl(platformUrl), socket),
      ...more,
    }),
    machine,
  )
  const { home } = local
  const containerOf = async (key: string) => (await readRecord(home, key)).container as string
  return {
    ...local,
    reopen: local.open,
    containerOf,
    /** All containers of this home, running or not. */
    containers: () =>
      docker('ps', '--all', '--quiet', '--no-trunc', '--filter', `label=${labels.home}=${familyOf({ home })}`)
        .split('\n')
        .filter(Boolean),
    crash: async (key) => void docker('kill', await containerOf(key)),
    async presence(id) {
      const container = await containerOf(id)
      return () => docker('ps', '--quiet', '--no-trunc').includes(container)
    },
    programs: (start) =>
      readdirSync('/proc').filter((pid) => argumentsOf(Number(pid)).join(' ').startsWith(start)).length,
    logBytes(id) {
      const folder = join(home, 'instances', id, 'logs')
      return readdirSync(folder).reduce((sum, name) => sum + readFileSync(join(folder, name)).length, 0)
    },
  } satisfies ConformanceHarness & Record<string, unknown>
}

/** A way to the engine that can be shut: what goes over it ends too. */
export async function openGate() {
  const folder = mkdtempSync(join(tmpdir(), 'forge-gate-'))
  const socket = join(folder, 'engine.sock')
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (incoming) => {
    const onward = connect({ path: engineSocket, allowHalfOpen: true })
    for (const [one, other] of [
      [incoming, onward],
      [onward, incoming],
    ] as const)
      open.add(one.on('error', () => {}).on('close', () => void (open.delete(one), other.destroy())))
    incoming.pipe(onward).pipe(incoming)
  })
  const listen = () => new Promise<void>((resolve) => server.listen(socket, resolve))
  const shut = () => {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const one of open) one.destroy()
    return closed
  }
  await listen()
  return {
    socket,
    listen,
    shut,
    async close() {
      await shut()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
