import { connect, createServer } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { cookieOf, freePort, send, startServer, testClock, type TestServer } from '../../../../testing/index.ts'
import { baseDn, bindDn, bindPassword, hasSlapd, startSlapd } from '../../../../testing/slapd.ts'

const domain = '@ovens.example.com'

describe.runIf(hasSlapd)('with slapd', () => {
  const clock = testClock()
  let server: TestServer
  let slapd: Awaited<ReturnType<typeof startSlapd>>
  let counter: Awaited<ReturnType<typeof startCounter>>
  beforeAll(async () => {
    server = await startServer({ clock, config: { trustProxy: ['loopback'] } })
    const admin = await server.build.user({ admin: true })
    await server.build.setting('user:sso', true)
    slapd = await startSlapd()
    counter = await startCounter(Number(new URL(slapd.url).port))
    const body = { name: 'Ovens', type: 'ldap' as const, domainFilter: domain }
    const { id } = await admin.client.call('sso.create', { body })
    const options = { ldapUrl: counter.url, baseDn, bindDn, bindPassword, createAccounts: true }
    await admin.client.call('sso.update', { params: { providerId: id }, body: { active: true, options } })
  })
  beforeEach(() => clock.turn(15 * 60_000))
  afterAll(async () => {
    await counter.stop()
    await slapd.stop()
    await server.close()
  })

  let serial = 0
  const elsewhere = () => `10.9.${(serial += 1) >> 8}.${serial & 255}`
  const login = (username: string, password: string, from = elsewhere(), cookie = '') =>
    send(server.address, 'POST', '/account/login', {
      body: { username, password },
      headers: { 'x-forwarded-for': from, cookie },
    })
  const statuses = async (times: number, one: (n: number) => ReturnType<typeof login>) => {
    const all: number[] = []
    for (let n = 0; n < times; n += 1) all.push((await one(n)).status)
    return all
  }
  /** The cookie by which the browser of somebody who signed in is known. */
  async function known(name: string, typed = name): Promise<string> {
    const answer = await login(typed, `password of ${name}`)
    expect(answer.status).toBe(200)
    return `browser=${cookieOf(answer, 'browser')}`
  }

  test.each([
    ['user names', (n: number) => `nobody-${n}`],
    ['addresses', (n: number) => `nobody-${n}${domain}`],
  ])(
    'an address has the directory asked for 30 unknown %s in 15 minutes, and people elsewhere get in',
    async (_, name) => {
      const before = counter.connections
      const answers = await statuses(33, (n) => login(name(n), 'guess', '192.0.2.7'))
      expect(answers).toEqual([...Array<number>(30).fill(401), 429, 429, 429])
      expect(counter.connections - before).toBe(30)
      expect((await login('ada', 'password of ada', '192.0.2.8')).status).toBe(200)
      clock.turn(15 * 60_000)
      expect((await login('ada', 'password of ada', '192.0.2.7')).status).toBe(200)
    },
  )

  test('a browser in which somebody signed in before gets in from an address that is used up', async () => {
    const cookie = await known('ada')
    for (const name of ['nobody', `nobody${domain}`])
      await statuses(31, (n) => login(name.replace('nobody', `nobody-${n}`), 'guess', '192.0.2.9'))
    expect((await login('ada', 'password of ada', '192.0.2.9')).status).toBe(429)
    expect((await login('ada', 'password of ada', '192.0.2.9', cookie)).status).toBe(200)
  })

  test('all names of a person have one count of guesses, which strangers cannot use up for known browsers', async () => {
    const cookie = await known('bob')
    const names = ['bob', `bob${domain}`, 'BOB', `Bob${domain}`]
    expect(await statuses(10, (n) => login(names[n % 4]!, 'guess'))).toEqual(Array(10).fill(401))
    for (const name of names) expect((await login(name, 'password of bob')).status).toBe(429)
    const answer = await login(`bob${domain}`, 'password of bob', elsewhere(), cookie)
    expect(answer.status).toBe(200)
    const again = `browser=${cookieOf(answer, 'browser')}`
    expect(await statuses(11, () => login('bob', 'guess', elsewhere(), again))).toEqual([...Array(10).fill(401), 429])
  })

  test('the browser of somebody else gives no more guesses at a person than strangers have', async () => {
    const cookie = await known('ada')
    expect(await statuses(10, () => login('carl', 'guess', elsewhere(), cookie))).toEqual(Array(10).fill(401))
    expect((await login(`carl${domain}`, 'password of carl')).status).toBe(429)
    expect((await login('carl', 'password of carl', elsewhere(), cookie)).status).toBe(429)
  })
})

/** A port that leads to another and counts the connections. */
async function startCounter(target: number) {
  const port = await freePort()
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    const other = connect(target, '127.0.0.1')
    socket.pipe(other).pipe(socket)
    for (const one of [socket, other]) one.on('error', () => void [socket.destroy(), other.destroy()])
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `ldap://localhost:${port}`,
    get connections() {
      return connections
    },
    stop: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  }
}
