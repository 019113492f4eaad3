import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { askInstance } from '../../testing/instance.http.ts'
import { openLocal, runs, versions } from '../../testing/local.harness.ts'
import { until } from '../../testing/until.ts'

/** The bcrypt hash of "sourdough". */
const pass = '$2b$04$4sx.ew.7yxng6VR4QRkQPOjsDCq1cqq2VXQkSfVNivL.Eb8bjf/ou'
const authorization = `Basic ${Buffer.from('baker:sourdough').toString('base64')}`
const flows = [
  { id: 'tab', type: 'tab', label: 'Flow' },
  { id: 'in', z: 'tab', type: 'http in', url: '/hello', method: 'get', wires: [['out']] },
  { id: 'out', z: 'tab', type: 'http response', wires: [] },
  { id: 'feed', type: 'websocket-listener', path: '/feed', wholemsg: 'false' },
  { id: 'ws', z: 'tab', type: 'websocket in', server: 'feed', wires: [[]] },
]

test.each(versions)(
  'a protection is enforced and lifted while Node-RED %s runs, and cuts off who was let in',
  async (version) => {
    const local = await openLocal()
    onTestFinished(() => local.close())
    const { driver, platform } = local
    const spec = local.spec(version)
    platform.stored.set(`${spec.id}/flows`, flows)
    await driver.start(spec)
    await runs(driver, spec.id)
    const endpoint = driver.endpoint(spec.id) as { socketPath: string }
    const ask = async (headers = {}) => (await askInstance(endpoint, '/hello', { headers })).status
    await until('the flow answers', async () => (await ask()) === 200)
    const socket = connect({ path: endpoint.socketPath })
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
    const key = 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13'
    socket.write(`GET /feed HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\n${key}\r\n\r\n`)
    expect(String((await once(socket, 'data'))[0])).toContain('101')
    const closed = once(socket, 'close')

    platform.behaviour.settings = { httpNodeAuth: { type: 'basic', user: 'baker', pass } }
    await driver.protect(spec.id)
    await closed
    expect([await ask(), await ask({ authorization })]).toEqual([401, 200])
    expect((await askInstance(endpoint, '/auth/login')).status).toBe(200)
    platform.behaviour.settings = {}
    await driver.protect(spec.id)
    expect(await ask()).toBe(200)
  },
)
