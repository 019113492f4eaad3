import { tokenKinds } from '@app/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { host, openStage, type Stage, valuesOf } from './testing/stage.ts'
import { createTrust, type TrustOptions } from './trust.ts'

/** As the platform makes them. */
const tokenOf = (prefix: string) => `${prefix}_${'aZ-_0'.repeat(9).slice(0, 43)}`
const session = tokenOf('ffs')
/** One without a prefix. */
const configured = 'figures-for-the-monitoring'

let stage: Stage
beforeAll(async () => {
  stage = await openStage({ configuredTokens: [configured] })
})
afterAll(() => stage.close())
beforeEach(() => {
  stage.seen.length = 0
  stage.answer = (_request, response) => response.end('ok')
})

const header = (name: string) => valuesOf(stage.seen.at(-1)!.rawHeaders, name)

describe('what an upstream sees of a request', () => {
  test('cookies of the platform are removed, others stay as they are', async () => {
    await stage.ask([
      `Cookie: a=1; sid=${session}; b="x y"; SID="${session}"`,
      'cOOkie:  __Host-sid = secret ;c=3',
      `COOKIE: step=${tokenOf('ffs2')}`,
    ])
    expect(header('cookie').join('; ')).toBe('a=1; b="x y"; c=3')
  })

  test('a cookie of a flow keeps its name, even that of the session on plain HTTP', async () => {
    await stage.ask([`Cookie: a=1; sid=s%3Aflow.signature; sid=${session}; mine=2`])
    expect(header('cookie')).toEqual(['a=1; sid=s%3Aflow.signature; mine=2'])
  })

  test.each([...Object.keys(tokenKinds).map(tokenOf), configured])(
    'a token of the platform reaches no flow, whichever header it comes in: %s',
    async (token) => {
      await stage.ask([
        `Authorization: Bearer ${token}`,
        `Authorization: Basic ${Buffer.from(`baker:${token}`).toString('base64')}`,
        `X-Api-Key: ${token}`,
        `Cookie: token=${token}; own=1`,
        `Sec-WebSocket-Protocol: mqtt, ${token}`,
        'X-Own: 1',
      ])
      expect(JSON.stringify(stage.seen.at(-1))).not.toContain(token)
      expect(header('authorization')).toEqual([])
      expect([...header('cookie'), ...header('x-own')]).toEqual(['own=1', '1'])
    },
  )

  test.each([
    ...Object.keys(tokenKinds)
      .filter((kind) => kind !== 'ffc')
      .map(tokenOf),
    configured,
  ])('a request with a token of the platform in its address reaches no flow: %s', async (token) => {
    const before = stage.seen.length
    const reply = await stage.ask([], `GET /flow?token=${token} HTTP/1.1`)
    expect(reply).toContain('400 Bad Request')
    expect(reply).not.toContain(token)
    expect(stage.seen).toHaveLength(before)
  })

  test('an authorization code passes in an address, and a token of the flow', async () => {
    await stage.ask([], `GET /callback?code=${tokenOf('ffc')}&access_token=of-node-red HTTP/1.1`)
    expect(stage.seen.at(-1)?.url).toContain(tokenOf('ffc'))
  })

  test.each([
    'Bearer fft_x',
    'bearer  ffu_x',
    'BEARER ffd_x',
    'Bearer ffpr_x',
    'Bearer ffadp_x',
    'Token ffu_x',
    'Basic x, Bearer fft_x',
    'Bearer FFT_x',
    'Bearer ffpat_x',
    'Bearer ffur_x',
    'Bearer ffs_x',
  ])('an Authorization of the platform is removed: %s', async (value) => {
    await stage.ask([`authorization: ${value}`, 'AUTHORIZATION: Bearer of-node-red', `Authorization: ${value}`])
    expect(header('authorization')).toEqual(['Bearer of-node-red'])
  })

  test.each(['Bearer abcdef', 'Basic dXNlcjpwYXNz', 'Bearer ffhttp_x', 'Bearer staff_u_x'])(
    'an Authorization of Node-RED passes: %s',
    async (value) => {
      await stage.ask([`Authorization: ${value}`])
      expect(header('authorization')).toEqual([value])
    },
  )

  test('trust headers are replaced', async () => {
    await stage.ask([
      'X-Forwarded-For: 6.6.6.6',
      'x-forwarded-proto: https',
      'X-FORWARDED-HOST: evil',
      'X-Forwarded-Port: 1',
      'X-Forwarded-User: admin',
      'X-Real-IP: 6.6.6.6',
      'Forwarded: for=6.6.6.6',
      'X-Forge-Team: 1',
      'X_Forwarded_For: 6.6.6.6',
      'Connection: X-Forwarded-For, X-Real-IP',
    ])
    expect(header('x-forwarded-for')).toEqual(['127.0.0.1'])
    expect(header('x-real-ip')).toEqual(['127.0.0.1'])
    expect(header('x-forwarded-proto')).toEqual(['http'])
    expect(header('x-forwarded-host')).toEqual([host])
    expect(header('x-forwarded-port')).toEqual(['3000'])
    expect(header('host')).toEqual([host])
    for (const gone of ['x-forwarded-user', 'forwarded', 'x-forge-team', 'x_forwarded_for'])
      expect(header(gone)).toEqual([])
  })

  test('headers of the connection stay behind, with those that it names', async () => {
    await stage.ask(
      [
        'Connection: X-Hop, content-length, Host',
        'X-Hop: 1',
        'Keep-Alive: 5',
        'Proxy-Authorization: x',
        'TE: trailers',
        'Content-Length: 2',
        'Upgrade: h2c',
        'HTTP2-Settings: x',
      ],
      'POST / HTTP/1.1',
      'hi',
    )
    for (const gone of ['x-hop', 'keep-alive', 'proxy-authorization', 'te', 'upgrade', 'http2-settings'])
      expect(header(gone)).toEqual([])
    expect(stage.seen[0]!.body).toBe('hi')
    expect(header('via')).toEqual([])
  })

  const forwarded = async (options: TrustOptions, headers: string[]) => {
    const behind = await openStage({ trust: createTrust(options), secure: true })
    await behind.ask(headers)
    await behind.close()
    return behind.seen[0]!.rawHeaders
  }

  test('behind trusted proxies the address is the one that the outermost of them saw', async () => {
    const chain = ['X-Forwarded-For: 6.6.6.6, 203.0.113.7', 'X-Forwarded-For: 10.0.0.1']
    const both = await forwarded({ proxies: ['loopback', '10.0.0.0/24'] }, chain)
    expect(valuesOf(both, 'x-forwarded-for')).toEqual(['203.0.113.7'])
    expect(valuesOf(both, 'x-forwarded-proto')).toEqual(['https'])
    expect(valuesOf(await forwarded({ proxies: ['127.0.0.1'] }, chain), 'x-forwarded-for')).toEqual(['10.0.0.1'])
    expect(valuesOf(await forwarded({ proxies: ['10.0.0.1'] }, chain), 'x-forwarded-for')).toEqual(['127.0.0.1'])
    expect(valuesOf(await forwarded({ proxies: ['::1', '127.0.0.0/8'] }, ['X-Forwarded-For: x']), 'x-real-ip')).toEqual(
      ['127.0.0.1'],
    )
  })

  test('with a secret only a request that carries it comes through the proxy, and no upstream sees it', async () => {
    const secret = 'a-secret-of-the-proxy-and-nobody-else'
    const options = { proxies: ['loopback', '10.0.0.1'], secret }
    const invented = 'X-Forwarded-For: 6.6.6.6'
    const shown = `X-Forge-Proxy-Secret: ${secret}`
    for (const headers of [[invented], [invented, `${shown}x`], [invented, shown, shown]])
      expect(valuesOf(await forwarded(options, headers), 'x-forwarded-for')).toEqual(['127.0.0.1'])
    const believed = await forwarded(options, ['X-Forwarded-For: 203.0.113.7, 10.0.0.1', shown])
    expect(valuesOf(believed, 'x-forwarded-for')).toEqual(['203.0.113.7'])
    expect(believed.join()).not.toContain(secret)
    // A flow that goes through the proxy of its own machine stays what it is.
    const flow = await forwarded(options, ['X-Forwarded-For: 6.6.6.6, 127.0.0.1', shown])
    expect(valuesOf(flow, 'x-forwarded-for')).toEqual(['127.0.0.1'])
  })
})

/** The response headers that a browser gets for these headers of an upstream. */
async function answered(headers: string[]): Promise<string[]> {
  stage.answer = (_request, response) => response.writeHead(200, headers).end(Buffer.from('ok'))
  const text = await stage.ask([])
  return text.split('\r\n\r\n', 1)[0]!.split('\r\n').slice(1)
}

describe('what a browser sees of an answer', () => {
  test.each([
    ['a=1; Path=/; Domain=localhost', 'a=1; Path=/'],
    ['a=1;DOMAIN = .localhost ;HttpOnly; domain', 'a=1;HttpOnly'],
    ['__Host-own=1; Domain=localhost; Secure; Path=/', '__Host-own=1; Secure; Path=/'],
    ['domain=1; Path=/', 'domain=1; Path=/'],
    ['sid=s%3Aflow.signature; Path=/; Domain=localhost', 'sid=s%3Aflow.signature; Path=/'],
    [`sid=${session}`, undefined],
    [` SiD ="${session}"; Path=/`, undefined],
    ['__HOST-sid=evil; Secure; Path=/', undefined],
    ['=sid=evil', undefined],
    ['nameless', undefined],
  ])('Set-Cookie: %s', async (sent, expected) => {
    const cookies = (await answered(['Set-Cookie', sent, 'set-cookie', 'other=2'])).filter((line) =>
      /^set-cookie/i.test(line),
    )
    expect(cookies).toEqual([...(expected === undefined ? [] : [`Set-Cookie: ${expected}`]), 'set-cookie: other=2'])
  })

  test('headers that reach beyond the upstream are dropped, its own pass', async () => {
    const lines = await answered([
      'Clear-Site-Data',
      '"*"',
      'Strict-Transport-Security',
      'max-age=1; includeSubDomains',
      'Alt-Svc',
      'h3=":1"',
      'Connection',
      'X-Hop',
      'X-Hop',
      '1',
      'Access-Control-Allow-Origin',
      '*',
      'Service-Worker-Allowed',
      '/',
      'X-Own',
      'caf\xe9',
    ])
    const names = lines.map((line) => line.split(':', 1)[0]!.toLowerCase())
    for (const gone of ['clear-site-data', 'strict-transport-security', 'alt-svc', 'x-hop', 'via'])
      expect(names).not.toContain(gone)
    expect(lines).toEqual(
      expect.arrayContaining(['Access-Control-Allow-Origin: *', 'Service-Worker-Allowed: /', 'X-Own: caf\xe9']),
    )
  })
})

/** Repeatable noise. */
function noise(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

describe('generated requests', () => {
  test('in 1,000 random requests, one in ten a WebSocket, no cookie or token of the platform reaches an upstream', async () => {
    const random = noise(7)
    const one = <T>(list: readonly T[]) => list[random(list.length)]!
    const mixed = (text: string) =>
      text.replace(/[a-z]/gi, (sign) => (random(2) ? sign.toUpperCase() : sign.toLowerCase()))
    const space = () => one(['', ' ', '\t', '  '])
    const cookie = () =>
      one([
        () => `own${random(9)}=${space()}x`,
        () => `${space()}${mixed('sid')}${space()}=${session.slice(0, 40)}CANARY`,
        () => `${mixed('__Host-sid')}=CANARY`,
        () => 'flag',
        () => '',
      ])()
    const line = () =>
      one([
        () => `${mixed('cookie')}:${space()}${Array.from({ length: random(5) }, cookie).join(one(['; ', ';', ' ; ']))}`,
        () => `${mixed('authorization')}:${space()}${mixed('bearer')} ${space()}${one(Object.keys(tokenKinds))}_CANARY`,
        () => `${mixed('x-forwarded-for')}: CANARY`,
        () => `${mixed('x-forge-user')}: CANARY`,
        () => `${mixed('connection')}: ${one(['cookie', 'authorization', 'x-own', 'te'])}`,
        () => `X-Own: ${random(1000)}`,
      ])()
    const handshake = [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ]
    const upgrades: string[] = []
    stage.upstream.on('upgrade', (request, socket) => {
      upgrades.push(request.rawHeaders.join('\n'))
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
    })
    for (let batch = 0; batch < 50; batch++) {
      await Promise.all(
        Array.from({ length: 20 }, (_, at) => {
          const lines = Array.from({ length: random(8) }, line)
          if (at < 2) return stage.ask([...lines, ...handshake])
          return random(2)
            ? stage.ask(lines, `${one(['GET', 'HEAD', 'DELETE'])} /${random(99)} HTTP/1.${random(2)}`)
            : stage.ask(
                [...lines, 'Transfer-Encoding: chunked'],
                'POST / HTTP/1.1',
                `2\r\nhi\r\n0\r\nCookie: sid=${session.slice(0, 40)}CANARY\r\nAuthorization: Bearer fft_CANARY\r\nX-Late: 1\r\n\r\n`,
              )
        }),
      )
    }
    stage.upstream.removeAllListeners('upgrade')
    expect(stage.seen.length).toBe(900)
    expect(upgrades.length).toBe(100)
    expect(JSON.stringify([stage.seen, upgrades])).not.toContain('CANARY')
    expect(stage.seen.filter((one) => one.trailers.includes('X-Late')).length).toBeGreaterThan(300)
  })
})
