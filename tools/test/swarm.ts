import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/*
 * `npm run swarm [-- <file>]`: makes a swarm of two machines on this one and runs tests on it. Each machine is a Docker
 * engine in a network of its own; both share the disk, as machines of a swarm share storage. As root on Linux, with Docker
 * of Debian. It changes rules of the network of this machine while it runs.
 */
const program = '/usr/sbin/dockerd'
const bridge = 'forge-swarm'
const subnet = '10.77.0'
const patienceMs = 60_000
const files = process.argv.slice(2)

if (process.getuid?.() !== 0 || !existsSync(program)) {
  process.stderr.write(`This needs root, and ${program}: apt-get install docker.io iptables iproute2\n`)
  process.exit(1)
}

const folder = mkdtempSync(join(tmpdir(), 'forge-swarm-'))
const run = (...command: [string, ...string[]]) =>
  execFileSync(command[0], command.slice(1), { encoding: 'utf8' }).trim()
const attempt = (...command: [string, ...string[]]) => {
  try {
    run(...command)
  } catch {
    // It is not there, or was there before.
  }
}
const machines = [2, 3].map((n) => ({
  address: `${subnet}.${n}`,
  name: `${bridge}-${n}`,
  link: `forge-sw${n}`,
  home: join(folder, String(n)),
  socket: join(folder, String(n), 'docker.sock'),
}))
type Machine = (typeof machines)[number]
const docker = ({ socket }: Machine, ...args: string[]) => run('docker', '--host', `unix://${socket}`, ...args)
/** Docker shuts the way between other networks of a machine. */
const between = ['FORWARD', '-i', bridge, '-o', bridge, '-j', 'ACCEPT']

function layNetwork(): void {
  run('ip', 'link', 'add', bridge, 'type', 'bridge')
  run('ip', 'address', 'add', `${subnet}.1/24`, 'dev', bridge)
  run('ip', 'link', 'set', bridge, 'up')
  run('iptables', '-I', ...between)
  for (const { name, link, address } of machines) {
    run('ip', 'netns', 'add', name)
    run('ip', 'link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
    run('ip', 'link', 'set', link, 'master', bridge, 'up')
    run('ip', '-n', name, 'address', 'add', `${address}/24`, 'dev', 'eth0')
    for (const one of ['lo', 'eth0']) run('ip', '-n', name, 'link', 'set', one, 'up')
    run('ip', '-n', name, 'route', 'add', 'default', 'via', `${subnet}.1`)
  }
}

function removeNetwork(): void {
  for (const { name } of machines) attempt('ip', 'netns', 'delete', name)
  attempt('ip', 'link', 'delete', bridge)
  attempt('iptables', '-D', ...between)
}

async function startEngine(machine: Machine): Promise<ChildProcess> {
  const { name, socket, home } = machine
  const own = ['--data-root', join(home, 'data'), '--exec-root', join(home, 'exec'), '--pidfile', join(home, 'pid')]
  const engine = spawn('nsenter', [`--net=/run/netns/${name}`, program, '--host', `unix://${socket}`, ...own], {
    stdio: 'ignore',
    env: { ...process.env, DOCKER_SERVICE_PREFER_OFFLINE_IMAGE: '1' },
  })
  for (const until = Date.now() + patienceMs; Date.now() < until; await wait(500)) {
    if (engine.exitCode !== null) break
    try {
      docker(machine, 'version')
      return engine
    } catch {
      // Not yet.
    }
  }
  throw new Error(`The engine of ${name} does not start`)
}

const engines: ChildProcess[] = []
try {
  layNetwork()
  for (const machine of machines) engines.push(await startEngine(machine))
  const [manager, ...workers] = machines as [Machine, ...Machine[]]
  docker(manager, 'swarm', 'init', '--advertise-addr', manager.address)
  docker(manager, 'swarm', 'update', '--dispatcher-heartbeat', '1s')
  const token = docker(manager, 'swarm', 'join-token', '--quiet', 'worker')
  for (const worker of workers)
    docker(worker, 'swarm', 'join', '--token', token, '--advertise-addr', worker.address, `${manager.address}:2377`)
  const env = {
    ...process.env,
    DOCKER_HOST: `unix://${manager.socket}`,
    FORGE_TEST_SWARM: machines.map(({ socket }) => socket).join(),
    FORGE_TEST_SWARM_HOST: `${subnet}.1`,
  }
  // Some tests take a machine away, which the others of a file would notice.
  const asked = files.length > 0 ? files : ['swarm']
  const tests = spawn(
    'npm',
    ['exec', '--', 'vitest', 'run', '--project', 'container', '--no-file-parallelism', ...asked],
    {
      stdio: 'inherit',
      env,
    },
  )
  process.exitCode = await new Promise<number>((resolve) => tests.once('exit', (code) => resolve(code ?? 1)))
} finally {
  for (const engine of engines) {
    const ended = new Promise((resolve) => engine.once('exit', resolve))
    engine.kill('SIGTERM')
    await Promise.race([ended, wait(patienceMs, undefined, { ref: false })])
  }
  removeNetwork()
  rmSync(folder, { recursive: true, force: true })
}
