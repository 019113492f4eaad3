import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundle } from '../../../tools/build/node-build.ts'
import type { TestAgent } from './agent.ts'
import type { AgentWorld } from './agent.world.ts'
import { embeddedBroker } from './broker.ts'
import { until } from './build.ts'
import { createVictim } from './crash.process.ts'

/** From here on the server of the world is a process of its own, so that it can be killed as its broker can. */
export async function partiesOf(world: AgentWorld) {
  const { server, owner } = world
  const { home } = server.config
  const program = join(home, 'program')
  await bundle({ main: 'apps/server/testing/crash.server.ts' }, program)
  await server.stop()
  const victim = createVictim(server.config, join(program, 'main.js'))
  await victim.start()

  function isBroker(pid: string): boolean {
    try {
      const isIts = readlinkSync(`/proc/${pid}/fd/1`).startsWith(home)
      return isIts && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(embeddedBroker.entry!)
    } catch {
      return false
    }
  }
  const brokerPid = (): number => Number(readdirSync('/proc').find((pid) => /^\d+$/.test(pid) && isBroker(pid)))

  return {
    victim,
    /** The server is killed, and another one is started on the same data. */
    async killServer(): Promise<void> {
      await victim.end('SIGKILL')
      await victim.start()
    },
    /** The server starts it again. */
    killBroker: async (): Promise<void> => void process.kill(brokerPid(), 'SIGKILL'),
    /** A device as the platform has it; a connection of before the kill fails once. */
    read: async (id: string) =>
      until(
        async () => owner.client.call('device.get', { params: { deviceId: id } }).catch(() => undefined),
        (device) => device !== undefined,
      ).then((device) => device!),
    async close(): Promise<void> {
      await victim.end('SIGTERM')
      const pid = brokerPid()
      if (pid) process.kill(pid, 'SIGKILL')
    },
  }
}

type Part = 'active' | 'candidate'
type Targets = Partial<Record<Part, { id: string; name: string }>>

async function processOf(agent: TestAgent, which: (targets: Targets) => { id: string } | undefined): Promise<number> {
  const file = join(agent.dir, 'nodered/instances', which(await agent.state())!.id, 'record.json')
  const record = await until(
    async () => readFile(file, 'utf8').catch(() => ''),
    (text) => text !== '',
  )
  return (JSON.parse(record) as { pid: number }).pid
}

/** The process of the Node-RED that runs the target, or of the one that is to run the next, once it is there. */
export const nodeRedOf = async (agent: TestAgent, part: Part) => processOf(agent, (targets) => targets[part])

/** The process of the Node-RED with the target of this name, which is the next one or runs by now. */
export const nodeRedNamed = async (agent: TestAgent, name: string) =>
  processOf(agent, ({ active, candidate }) => [candidate, active].find((target) => target?.name === name))
