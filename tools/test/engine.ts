import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { hasEngine } from '../release/container.engine.ts'
import { command, type Outcome } from '../check/steps.ts'
import { leftOut, unlessLate } from './late.ts'

const patienceMs = 30_000

/** An engine of containers that Debian has. */
interface Engine {
  name: string
  packages: string[]
  /** It answers already, and tests may use it. */
  isThere(): boolean
  program: string
  /** `data`: a folder of its own. */
  begin(data: string): { args: string[]; env: Record<string, string> }
  /** Environment variables by which its clients find it. */
  clientEnv(data: string): Record<string, string>
  /** No registry of images is asked for the images that ours stand on. */
  testEnv: Record<string, string>
}

const docker: Engine = {
  name: 'Docker engine',
  packages: ['docker.io', 'docker-compose', 'iptables', 'mmdebstrap'],
  isThere: () => hasEngine(),
  program: '/usr/sbin/dockerd',
  // Services of a swarm take the images of the tests, which no registry has.
  begin: (data) => ({ args: ['--data-root', data], env: { DOCKER_SERVICE_PREFER_OFFLINE_IMAGE: '1' } }),
  clientEnv: () => ({}),
  testEnv: { FORGE_TEST_BASE: 'debian' },
}

const podman: Engine = {
  name: 'Podman',
  packages: ['docker.io', 'podman', 'runc', 'netavark', 'aardvark-dns', 'iptables', 'catatonit'],
  isThere: () => false,
  program: '/usr/bin/podman',
  begin(data) {
    writeFileSync(join(data, 'containers.conf'), podmanSettings)
    writeFileSync(join(data, 'storage.conf'), podmanStorage(data))
    return {
      args: ['system', 'service', '--time', '0', `unix://${join(data, 'engine.sock')}`],
      env: this.clientEnv(data),
    }
  },
  clientEnv: (data) => ({
    CONTAINERS_CONF: join(data, 'containers.conf'),
    CONTAINERS_STORAGE_CONF: join(data, 'storage.conf'),
    DOCKER_HOST: `unix://${join(data, 'engine.sock')}`,
  }),
  testEnv: {},
}

/** Without systemd there is no journal, and in a virtual machine not every limit can be raised. */
const podmanSettings = `[containers]
default_ulimits = ["nofile=20000:20000", "nproc=30000:30000"]
[engine]
runtime = "runc"
events_logger = "file"
cgroup_manager = "cgroupfs"
[network]
network_backend = "netavark"
`
const podmanStorage = (data: string) => `[storage]
driver = "overlay"
graphroot = "${data}/root"
runroot = "${data}/run"
`

/**
 * Runs what needs a Docker engine with the one that answers. In CI, as root on Debian, one is installed and started where
 * none answers, and ended afterwards: it changes rules of the network, so nobody gets one unasked. Left out otherwise.
 */
export const withEngine = (work: Work): Promise<Outcome> => withOne(docker, work)

/** The same with Podman, which only CI starts. */
export const withPodman = (work: Work): Promise<Outcome> => withOne(podman, work)

type Work = (env: Record<string, string>) => Promise<Outcome>

async function withOne(kind: Engine, work: Work): Promise<Outcome> {
  const { name } = kind
  if (kind.isThere()) return work({})
  const mayInstall = process.env.CI && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
  if (!mayInstall) return leftOut(`no ${name} answers here`)
  return unlessLate(() => withOwn(kind, work))
}

async function withOwn(kind: Engine, work: Work): Promise<Outcome> {
  const { name, program, packages, testEnv } = kind
  // The engine may be here without what its tests need beside it.
  const { ok: isWhole } = await command('dpkg', ['--status', ...packages])
  if (!isWhole) {
    const install = ['install', '-y', '--no-install-recommends', ...packages]
    await command('apt-get', install, { env: { DEBIAN_FRONTEND: 'noninteractive' } })
    if (!existsSync(program)) return leftOut(`no ${name} answers here, and none can be installed`)
  }
  const data = await mkdtemp(join(tmpdir(), 'forge-engine-'))
  const clientEnv = kind.clientEnv(data)
  const engine = startEngine(kind, data)
  try {
    const last = await engine.answers(clientEnv)
    if (last !== undefined) return leftOut(`the ${name} of Debian does not start here: ${last}`)
    return await work({ ...clientEnv, ...testEnv })
  } finally {
    await engine.end()
    await rm(data, { recursive: true, force: true }).catch(() => undefined)
  }
}

function startEngine(kind: Engine, data: string) {
  const { args, env } = kind.begin(data)
  const engine: ChildProcess = spawn(kind.program, args, {
    // It leaves files in the folder that it is started in.
    cwd: data,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  })
  const ended = once(engine, 'exit').catch(() => undefined)
  let output = ''
  engine.stderr!.on('data', (part: Buffer) => (output = (output + part.toString()).slice(-10_000)))
  engine.on('error', (error) => (output += error.message))
  return {
    /** Waits until it answers; returns its last line when it does not. */
    async answers(clientEnv: Record<string, string>): Promise<string | undefined> {
      const until = Date.now() + patienceMs
      while (Date.now() < until && engine.exitCode === null) {
        if (hasEngine(clientEnv)) return undefined
        await wait(500)
      }
      return output.trim().split('\n').at(-1) ?? 'it says nothing'
    },
    async end(): Promise<void> {
      engine.kill('SIGTERM')
      await Promise.race([ended, wait(patienceMs, undefined, { ref: false })])
      engine.kill('SIGKILL')
    },
  }
}
