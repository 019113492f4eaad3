import { createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { openLocal, runs, versionsFor } from '../../testing/local.harness.ts'

/** Answers each packet of MQTT 3.1.1 that is shorter than 128 bytes. Subscriptions to topics of `refused` are refused. */
function answer(socket: Socket, refused: ReadonlySet<string>): void {
  let rest = Buffer.alloc(0)
  socket
    .on('error', () => undefined)
    .on('data', (data: Buffer) => {
      rest = Buffer.concat([rest, data])
      for (let end = 2 + rest[1]!; rest.length >= 2 && rest.length >= end; end = 2 + (rest[1] ?? 0)) {
        const packet = rest.subarray(0, end)
        rest = rest.subarray(end)
        const kind = packet[0]! >> 4
        if (kind === 1) socket.write(Buffer.from([0x20, 2, 0, 0]))
        if (kind === 8) {
          const topic = packet.toString('utf8', 6, 6 + packet.readUInt16BE(4))
          socket.write(Buffer.from([0x90, 3, packet[2]!, packet[3]!, refused.has(topic) ? 0x80 : 0]))
        }
        if (kind === 12) socket.write(Buffer.from([0xd0, 0]))
      }
    })
}

async function startBroker(refused: ReadonlySet<string>) {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    answer(socket, refused)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const drop = () => {
    for (const socket of open) socket.destroy()
    open.clear()
  }
  onTestFinished(() => {
    server.close()
    drop()
  })
  return { port: (server.address() as AddressInfo).port, drop }
}

test.each(versionsFor(import.meta.filename))(
  'on Node-RED %s a subscription that a broker refuses is an error until the broker accepts it',
  async (nodered) => {
    const refused = new Set(['secret'])
    const { port, drop } = await startBroker(refused)
    const { driver, putFlows, spec, close } = await openLocal()
    onTestFinished(close)
    const one = spec(nodered)
    const listens = (id: string, topic: string, z = 'tab') => ({
      id,
      type: 'mqtt in',
      z,
      x: 1,
      y: 1,
      topic,
      qos: '0',
      broker: 'broker',
      wires: [[]],
    })
    putFlows(one.id, [
      { id: 'tab', type: 'tab', label: 'Oven' },
      {
        id: 'broker',
        type: 'mqtt-broker',
        broker: '127.0.0.1',
        port: `${port}`,
        protocolVersion: '4',
        cleansession: true,
        keepalive: '60',
        autoConnect: true,
      },
      { id: 'sub', type: 'subflow', name: 'Sub', in: [], out: [] },
      listens('inner', 'secret', 'sub'),
      { id: 'use', type: 'subflow:sub', z: 'tab', x: 1, y: 1, wires: [] },
      listens('public', 'bread'),
      listens('hidden', 'secret'),
    ])
    await driver.start(one)
    await runs(driver, one.id)
    const faults = async () =>
      (await driver.flows(one.id))!.faults
        .map(({ kind, node, message }) => `${kind} ${node?.id}: ${message}`)
        .toSorted()
    const said = 'Its broker refuses the subscription to secret'
    await expect.poll(faults).toEqual([`status hidden: ${said}`, `status inner: ${said}`])
    refused.clear()
    drop()
    await expect.poll(faults).toEqual(['hidden', 'inner', 'public'].map((id) => `status ${id}: disconnected`))
    // Node-RED waits before it connects anew.
    await expect.poll(faults, { timeout: 60_000 }).toEqual([])
  },
)
