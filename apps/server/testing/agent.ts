import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { freePort } from '../../../tools/test/free-port.ts'
import { until } from './build.ts'
import { stacksDir } from './homes.ts'

/** Where this machine has certificates of its own, Node-RED's npm refuses the registry without them, and tries for over a minute. */
const certificates = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR']
const own = Object.fromEntries(
  certificates.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
)

const usualNode = process.env.FORGE_TEST_AGENT_NODE ?? process.execPath
const program = join(import.meta.dirname, '../../agent/dist/main.js')

interface AgentOptions {
  /** The contents of the file of the device. */
  file: Record<string, unknown>
  env?: NodeJS.ProcessEnv
  /** An empty folder for everything the agent keeps; usually a new one. */
  folder?: string
  /** The Node.js under which the agent runs; usually that of the tests. */
  node?: string
  /** Arguments of Node.js. */
  nodeArgs?: string[]
}

export type TestAgent = Awaited<ReturnType<typeof openAgent>>

/** A machine with the agent installed: its folder, and the processes that run on it. */
export async function openAgent({ file, env = {}, folder, node = usualNode, nodeArgs: given = [] }: AgentOptions) {
  const dir = folder ?? (await mkdtemp(join(tmpdir(), 'forge-agent-')))
  const port = await freePort()
  mkdirSync(join(dir, 'nodered/stacks'), { recursive: true })
  for (const one of readdirSync(stacksDir)) symlinkSync(join(stacksDir, one), join(dir, 'nodered/stacks', one))
  if (node !== process.execPath) putNode(join(dir, 'nodered/stacks'))
  // YAML reads JSON.
  const write = (more: object = {}) =>
    writeFileSync(join(dir, 'device.yml'), JSON.stringify({ port, interval: 0.2, ...file, ...more }))
  write()
  let nodeArgs = given
  let child: ReturnType<typeof spawn> | undefined
  let lines: string[] = []
  const listeners = new Set<(line: string) => void>()

  function start(args: string[] = []): void {
    lines = []
    const environment = { PATH: process.env.PATH, HOME: dir, ...own, ...env }
    child = spawn(node, [...nodeArgs, program, '--dir', dir, ...args], {
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let rest = ''
    child.stdout!.setEncoding('utf8').on('data', (part: string) => {
      const found = (rest + part).split('\n')
      rest = found.pop()!
      for (const line of found) {
        lines.push(line)
        for (const listener of listeners) listener(line)
      }
    })
  }

  /** The status and text of flows; 0 where nobody answers. */
  const visit = (path = '/word') =>
    new Promise<{ status: number; text: string }>((resolve) => {
      const call = request({ host: '127.0.0.1', port, path, agent: false }, (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (part: string) => (text += part))
        answer.on('end', () => resolve({ status: answer.statusCode!, text }))
        answer.on('error', () => resolve({ status: 0, text: 'cut' }))
      })
      call.on('error', () => resolve({ status: 0, text: '' })).end()
    })

  /** The processes of Node-RED on this machine, by the records of the driver. */
  async function nodeReds(): Promise<number[]> {
    const folder = join(dir, 'nodered/instances')
    const names = (await import('node:fs')).existsSync(folder) ? readdirSync(folder) : []
    const found = names.map(async (name) =>
      readFile(join(folder, name, 'record.json'), 'utf8').then(
        (text) => (JSON.parse(text) as { pid: number }).pid,
        () => undefined,
      ),
    )
    return (await Promise.all(found)).filter((pid): pid is number => pid !== undefined)
  }

  const whenSaid = (what: RegExp, act: () => Promise<void>) =>
    new Promise<void>((resolve, reject) => {
      const listener = (line: string) => {
        if (!what.test(line)) return
        listeners.delete(listener)
        act().then(resolve, reject)
      }
      listeners.add(listener)
    })

  async function killAgent(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  return {
    dir,
    port,
    write,
    /** For the next start. */
    setNodeArgs: (args: string[]) => void (nodeArgs = args),
    start,
    visit,
    nodeReds,
    /** The room of Node-RED's processes for what they keep long, in MiB. */
    heapLimits: async () =>
      Promise.all(
        (await nodeReds()).map(async (pid) =>
          Number(/--max-old-space-size=(\d+)/.exec(await readFile(`/proc/${pid}/cmdline`, 'utf8'))?.[1]),
        ),
      ),
    killAgent,
    lines: () => lines,
    pid: () => child!.pid!,
    /** Resolves once the agent has said this. */
    said: async (what: RegExp) =>
      until(
        async () => lines.find((line) => what.test(line)) ?? '',
        (line) => line !== '',
        90_000,
      ),
    /** Kills the agent as soon as it says this. */
    killAt: (what: RegExp) => whenSaid(what, killAgent),
    /** Does this as soon as the agent says that. */
    whenSaid,
    /** Resolves once flows answer this. */
    answers: async (text: string) =>
      until(
        async () => visit(),
        (answer) => answer.text === text,
        90_000,
      ),
    /** As a power cut: nothing of this machine goes on. */
    async cutPower(): Promise<void> {
      await killAgent()
      for (const pid of await nodeReds()) kill(pid)
    },
    /** Asks all the while. `stop` returns every answer. */
    asking(everyMs = 10) {
      const answers: ReturnType<typeof visit>[] = []
      const timer = setInterval(() => answers.push(visit()), everyMs)
      return {
        async stop() {
          clearInterval(timer)
          return Promise.all(answers)
        },
      }
    },
    state: async () => JSON.parse(await readFile(join(dir, 'agent.json'), 'utf8')) as Record<string, never>,
    acted: async () => (await readFile(join(dir, 'files/acted.txt'), 'utf8').catch(() => '')).split('\n').slice(0, -1),
    async end(): Promise<number | null> {
      const ended = once(child!, 'exit')
      child!.kill('SIGTERM')
      const [code] = (await ended) as [number | null]
      return code
    },
    async close(): Promise<void> {
      await killAgent()
      for (const pid of await nodeReds()) kill(pid)
      await rm(dir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** The Node.js that the agent downloads for Node-RED where that of the machine is too old, as npm leaves it. */
function putNode(stacks: string): void {
  const name = `node-${process.platform}-${process.arch}`
  const found = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
  const { version } = JSON.parse(readFileSync(join(found, 'package.json'), 'utf8')) as { version: string }
  const modules = join(stacks, `node-${version}/node_modules`)
  mkdirSync(modules, { recursive: true })
  symlinkSync(found, join(modules, name))
}

function kill(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
