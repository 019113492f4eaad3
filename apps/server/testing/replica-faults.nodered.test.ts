import { versionsFor } from '@app/drivers/testing/versions'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort, until } from './index.ts'
import { labelled, type Node, on, openRealPlatform, type RealPlatform } from './real.platform.ts'

let platform: RealPlatform
beforeAll(async () => {
  platform = await openRealPlatform()
})
afterAll(() => platform.close())

const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(socket.destroy() !== undefined))
    socket.once('error', () => resolve(false))
  })

test.each(versionsFor(import.meta.filename))(
  'a push is refused or taken over by both of two replicas on Node-RED %s, and what they listen on goes on',
  async (version) => {
    const port = await freePort()
    const listening = (label: string, more: Node[] = []): Node[] => [
      ...labelled(label),
      on('tcp', 'tcp in', { server: 'server', port: `${port}`, datamode: 'stream', datatype: 'utf8', newline: '' }),
      ...more,
    ]
    const [one, dev] = [await platform.make(version), await platform.make(version)]
    await platform.act('suspend', dev.id)
    await platform.inState(dev.id, 'suspended')
    await platform.importTo(one, listening('first'))
    await platform.raw('PUT', `/${one.id}/ha`, { replicas: 2 })
    await platform.settled(one.id)

    const push = async (flows: Node[]) => {
      await platform.save(dev, flows)
      const options = { flows: true, credentials: true, nodes: true, envVars: 'keys' }
      return platform.ended(one, 'PUT', '', { sourceProject: { id: dev.id, options } })
    }
    /** Checks the answer of each replica, how often these labels have begun to act, and that somebody listens. */
    const serves = async (label: string, acted: Record<string, number>) => {
      await until(
        async () => server().pair!.serving(one.id).length,
        (count) => count === 2,
      )
      const words = await Promise.all([1, 2, 3, 4].map(async () => (await platform.visit(one.name, '/word')).text))
      expect(new Set(words)).toEqual(new Set([label]))
      expect(await isListening(port)).toBe(true)
      const counts = async () => {
        const lines = await platform.acted(one)
        return Object.fromEntries(Object.keys(acted).map((of) => [of, lines.filter((line) => line === of).length]))
      }
      await expect.poll(counts).toEqual(acted)
    }
    const server = () => platform.server.driver
    // Once alone, and then in each of two.
    await serves('first', { first: 3 })

    const missing = await push(listening('typeless', [on('modbus', 'modbus-read')]))
    expect(missing).toMatchObject({ state: 'failed', takeover: { way: 'stop-first' } })
    expect(missing.reason).toContain('Its flows do not run: node type modbus-read is missing.')
    // The one that was replaced first is started again on what was there before.
    await serves('first', { first: 4, typeless: 0 })

    const broken = on('code', 'function', { func: 'msg.payload = {;', outputs: 1, wires: [[]] })
    await platform.raw('PUT', `/${one.id}`, { onErrors: 'refuse' })
    const refused = await push(listening('refused', [broken]))
    expect(refused).toMatchObject({ state: 'failed', takeover: { way: 'held' } })
    expect(refused.reason).toMatch(/Its flows run with 1 new error in function “code” on “Oven”: SyntaxError/)
    await serves('first', { first: 5, refused: 0 })

    await platform.raw('PUT', `/${one.id}`, { onErrors: 'pass' })
    const passed = await push(listening('second', [broken]))
    expect(passed).toMatchObject({ state: 'done', takeover: { way: 'held' } })
    expect(passed.faults?.map(({ kind, node }) => `${kind} ${node?.id}`)).toEqual(['compile code'])
    await serves('second', { first: 5, second: 2 })

    // The port is in the other process now, or in the same; either way somebody has it after the next one.
    expect(await push(listening('third'))).toMatchObject({ state: 'done' })
    await serves('third', { second: 2, third: 2 })
  },
)
