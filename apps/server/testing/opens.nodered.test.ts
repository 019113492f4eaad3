import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { labelled, type Node, on, openRealPlatform, type RealPlatform } from './real.platform.ts'

let platform: RealPlatform
const far = createServer()
beforeAll(async () => {
  await new Promise<void>((resolve) => far.listen(0, '127.0.0.1', resolve))
  platform = await openRealPlatform()
})
afterAll(async () => {
  await platform.close()
  far.close()
})

/** Flows that only answer, as far as their nodes tell. */
const answering = (func: string, libs: object[] = []): Node[] => [
  ...labelled('word').filter(({ id }) => id !== 'once' && id !== 'acted'),
  on('go', 'http in', { url: '/go', method: 'get', wires: [['fn']] }),
  on('fn', 'function', { func, libs, outputs: 1, wires: [['out']] }),
]

test.each([
  [
    '4.1.15',
    'a timer that its code hides',
    () => answering("globalThis['setInt' + 'erval'](() => node.send({}), 50); return msg"),
    'One of its functions has a timer that runs.',
  ],
  [
    '5.0.7',
    'a connection that its code has made',
    () =>
      answering(`global.set('far', net.connect(${(far.address() as AddressInfo).port}, '127.0.0.1')); return msg`, [
        { var: 'net', module: 'net' },
      ]),
    'It is connected to 127.0.0.1:',
  ],
] as const)('on Node-RED %s the next version is held once a function has %s', async (version, _name, flows, why) => {
  const one = await platform.make(version)
  await platform.importTo(one, flows())
  const preview = async () => {
    const body = { files: { flows: JSON.stringify(labelled('next').filter(({ id }) => id !== 'once')) } }
    return (await platform.owner.client.call('deployment.preview', { params: { instanceId: one.id }, body })).takeover
  }
  // The set-up of flows that connect to the platform only.
  expect(await preview()).toEqual({ way: 'beside', why: 'Its flows act only when they are asked.' })
  expect((await platform.visit(one.name, '/go')).status).toBe(200)
  const told = await preview()
  expect(told?.way).toBe('held')
  expect(told?.why).toContain(why)
})
