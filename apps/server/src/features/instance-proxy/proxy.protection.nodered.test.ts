import { request } from 'node:http'
import { expect, test } from 'vitest'
import { openNodeRedWorkshop, until } from '../../../testing/index.ts'

const deadline = 300_000
const { server, owner, application } = await openNodeRedWorkshop()

const flows = [
  { id: 'tab', type: 'tab', label: 'Flow' },
  { id: 'in', z: 'tab', type: 'http in', url: '/hello', method: 'get', wires: [['fn']] },
  {
    id: 'fn',
    z: 'tab',
    type: 'function',
    func: 'msg.payload = String(process.pid); return msg',
    libs: [{ var: 'process', module: 'process' }],
    outputs: 1,
    wires: [['out']],
  },
  { id: 'out', z: 'tab', type: 'http response', wires: [] },
]

interface Reply {
  status: number
  text: string
  location: string
  cookies: string[]
}

/** A browser at the address of an instance, by way of the platform. */
function browser(host: string) {
  const kept = new Map<string, string>()
  const get = (path: string, headers: Record<string, string> = {}) =>
    new Promise<Reply>((resolve, reject) => {
      const cookie = [...kept].map(([name, value]) => `${name}=${value}`).join('; ')
      const call = request(
        { host: '127.0.0.1', port: server.config.port, path, agent: false, headers: { host, cookie, ...headers } },
        (answer) => {
          let text = ''
          answer.setEncoding('utf8').on('data', (part: string) => (text += part))
          answer.on('end', () => {
            const cookies = answer.headers['set-cookie'] ?? []
            for (const one of cookies) {
              const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(one) ?? []
              // As a browser does: that of the sign-in itself is for its own path.
              if (name !== 'forge_http_state' || path.startsWith('/_ffAuth')) kept.set(name, value)
              else state = `${name}=${value}`
            }
            resolve({ status: answer.statusCode ?? 0, text, location: answer.headers.location ?? '', cookies })
          })
        },
      )
      call.on('error', reject).end()
    })
  let state = ''
  return {
    get,
    /** Signs in through the console of somebody who is signed in there. */
    async signIn(consoleCookie: string) {
      const { location } = await get('/hello', { accept: 'text/html' })
      let own = consoleCookie
      const follow = async (url: string) => {
        const answer = await fetch(new URL(url, server.address), { redirect: 'manual', headers: { cookie: own } })
        own = [consoleCookie, ...answer.headers.getSetCookie().map((set) => set.split(';')[0])].join('; ')
        return answer.headers.get('location') ?? ''
      }
      const { pathname, search } = new URL(location)
      const back = new URL(await follow(await follow(pathname + search)))
      return get(back.pathname + back.search, { cookie: state })
    },
  }
}

test('a member who has signed in reaches the flows of two processes, each time; others reach neither', {
  timeout: deadline,
}, async () => {
  const { id, name } = await server.build.runningInstance(owner, application)
  const params = { instanceId: id }
  const running = (processes = 0) =>
    until(
      () => owner.client.call('instance.get', { params }),
      ({ meta }) =>
        meta.state === 'running' &&
        (meta.replicas ?? []).filter(({ state }) => state === 'running').length === processes,
      deadline,
    )
  await owner.client.call('instance.import', { params, body: { flows: JSON.stringify(flows) } })
  await running()
  await owner.client.call('instance.update', {
    params,
    body: { settings: { httpNodeAuth: { type: 'flowforge-user' } } },
  })
  await owner.client.call('ha.enable', { params, body: { replicas: 2 } })
  await running(2)
  const host = `${name}.localhost:${server.config.port}`
  const stranger = browser(host)
  for (let n = 0; n < 4; n += 1) expect((await stranger.get('/hello')).status).toBe(401)
  // Whichever process the sign-in begins at.
  const seen = new Set<string>()
  for (let n = 0; n < 4; n += 1) {
    const member = browser(host)
    expect(await member.signIn(owner.cookie)).toMatchObject({ status: 302, location: '/hello' })
    const pids = await Promise.all(Array.from({ length: 6 }, () => member.get('/hello')))
    expect(new Set(pids.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(pids.map(({ text }) => text)).size).toBe(1)
    seen.add(pids[0]!.text)
  }
  expect(seen.size).toBe(2)
})
