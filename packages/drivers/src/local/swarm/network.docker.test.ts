import { expect, onTestFinished, test } from 'vitest'
import { nodeFlow } from '../../testing/flows.ts'
import { askInstance } from '../../testing/instance.http.ts'
import { runs } from '../../testing/local.harness.ts'
import {
  ensureSwarm,
  type Machine,
  machines,
  manager,
  network as overlay,
  on,
  openSwarm,
} from '../../testing/swarm.harness.ts'
import { until } from '../../testing/until.ts'

ensureSwarm()

const bridge = 'flowforge-test-bridge'

/** Makes the network of docs/swarm.md in which instances do not reach each other. */
function makeClosed(name: string): void {
  const closed = ['--config-only', '--opt', 'com.docker.network.bridge.enable_icc=false', bridge]
  for (const machine of machines) on(machine, 'network', 'create', ...closed)
  on(manager, 'network', 'create', '--scope', 'swarm', '--config-from', bridge, '--driver', 'bridge', name)
}

/** Machines let go of a network a moment after its last container. */
async function removeClosed(name: string): Promise<void> {
  const isRemoved = (machine: Machine, one: string) => {
    try {
      on(machine, 'network', 'rm', one)
      return true
    } catch {
      return false
    }
  }
  await until('nobody uses it', () => isRemoved(manager, name))
  for (const machine of machines) await until('no network is made of it', () => isRemoved(machine, bridge))
}

const listening = `const server = net.createServer((socket) => socket.end('reached')).listen(4000)
  server.unref()
  msg.payload = Object.values(os.networkInterfaces()).flat()
    .filter(({ internal, family }) => !internal && family === 'IPv4').map(({ address }) => address).join()
  return msg`
const reaching = `const [host, port] = msg.req.query.at.split(':'), socket = net.connect({ host, port, timeout: 3000 })
  socket.on('connect', () => { socket.destroy(); node.send({ ...msg, payload: 'reached' }) })
  for (const name of ['error', 'timeout']) socket.on(name, () => { socket.destroy(); node.send({ ...msg, payload: 'refused' }) })`

test.for([
  ['the overlay network', overlay, 'reached'],
  ['bridges without a way between containers', 'flowforge-test-closed', 'refused'],
] as const)(
  '%s: whether a neighbour reaches the port that a flow opens, and the way to the platform',
  async ([, network, outcome]) => {
    if (network.endsWith('closed')) makeClosed(network)
    const node = on(manager, 'info', '--format', '{{.Swarm.NodeID}}').trim()
    const opened = await openSwarm({ network, constraints: [`node.id == ${node}`] })
    onTestFinished(async () => {
      await opened.close()
      if (network.endsWith('closed')) await removeClosed(network)
    })
    const { driver, spec, putFlows, platformHost } = opened
    const [one, other] = [spec(), spec()]
    putFlows(one.id, nodeFlow(listening))
    putFlows(other.id, nodeFlow(reaching))
    for (const each of [one, other]) await driver.start(each)
    for (const { id } of [one, other]) await runs(driver, id)
    const addresses = (await askInstance(driver.endpoint(one.id)!, '/do')).text.split(',')
    const ask = async (at: string) => (await askInstance(driver.endpoint(other.id)!, `/do?at=${at}`)).text
    const told = await Promise.all(addresses.map((address) => ask(`${address}:4000`)))
    expect(told.includes('reached') ? 'reached' : 'refused').toBe(outcome)
    expect(await ask(platformHost)).toBe('reached')
  },
)
