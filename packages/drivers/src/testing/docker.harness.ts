import { containerHost } from '@app/contract/instance-link.constants'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ConformanceHarness } from '../conformance.ts'
import type { LocalDriverConfig } from '../local/index.ts'
import { argumentsOf } from '../local/process/identity.ts'
import { openLocal, readRecord } from './local.harness.ts'

const image = 'forge-test-instance'
/** The programs that flows of the tests run, and those that start each container. */
const programs = ['sh', 'cat', 'env', 'id', 'ls', 'seq', 'setsid', 'sleep', 'touch', 'true']

/** The engine of the tests: that of DOCKER_HOST, else the one of the machine. */
const engineSocket = (process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock').replace(/^unix:\/\//, '')

/** Runs the client of Docker. @throws Error with what it said. */
export const docker = (...args: string[]): string => execFileSync('docker', args, { encoding: 'utf8', stdio: 'pipe' })

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

/** Makes an image of programs of this machine, so that no registry of images is needed. There already: no effect. */
export function ensureImage(): void {
  if (spawnSync('docker', ['image', 'inspect', image], { stdio: 'ignore' }).status === 0) return
  const root = mkdtempSync(join(tmpdir(), 'forge-image-'))
  try {
    for (const name of ['usr/bin', 'usr/lib', 'usr/lib64', 'tmp', 'etc'])
      mkdirSync(join(root, name), { recursive: true })
    chmodSync(join(root, 'tmp'), 0o1777)
    for (const name of ['bin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(root, name))
    const paths = programs.map(pathOf)
    for (const path of [...paths, ...librariesOf([process.execPath, ...paths])]) copy(path, root)
    execFileSync('sh', ['-c', `tar -C '${root}' -cf - . | docker import - ${image}`], { stdio: 'pipe' })
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const pathOf = (name: string) => execFileSync('which', [name], { encoding: 'utf8' }).trim()

function copy(path: string, root: string): void {
  const target = join(root, path)
  mkdirSync(dirname(target), { recursive: true })
  cpSync(realpathSync(path), target)
}

function librariesOf(paths: string[]): string[] {
  const said = execFileSync('ldd', paths, { encoding: 'utf8' })
  return [...new Set([...said.matchAll(/(?:=> |^\s+)(\/\S+) \(/gm)].map(([, path]) => path!))]
}

/** A driver with containers of a real engine over one temporary home, with a platform for their instances. */
export async function openDocker(socket?: string) {
  const local = await openLocal((platformUrl) => ({
    inContainers: true,
    containers: containersFor(inContainers(platformUrl), socket),
  }))
  const { home } = local
  const containerOf = async (key: string) => (await readRecord(home, key)).container as string
  return {
    ...local,
    reopen: local.open,
    containerOf,
    spec: (nodered?: string) => {
      const spec = local.spec(nodered)
      return { ...spec, platformUrl: inContainers(spec.platformUrl) }
    },
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

const inContainers = (url: string) => `http://${containerHost}:${new URL(url).port}`
