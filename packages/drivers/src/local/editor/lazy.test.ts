import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { askInstance } from '../../testing/instance.http.ts'
import { openLocal, runs, versions } from '../../testing/local.harness.ts'
import { until } from '../../testing/until.ts'

/** Tells which packages have been loaded, by a file of each. */
const loadedNow = `
  const files = ['mqtt/build/lib/client.js', 'cheerio/lib/load.js', 'ajv/dist/core.js', 'multer/lib/make-middleware.js', 'moment/moment.js', 'xml2js/lib/parser.js', 'tldts/dist/cjs/index.js']
  const loaded = Object.keys(module.createRequire('/').cache)
  msg.before = files.filter((file) => loaded.some((path) => path.endsWith('/node_modules/' + file)))
  msg.schema = { type: 'object', required: ['n'], $schema: 'http://json-schema.org/draft-06/schema#' }
  msg.payload = '{"n":1}'
  return msg`

/** Tells whether the package of MQTT keeps the bytes of numbers. */
const numbersKept = `
  const { cache } = module.createRequire('/')
  const writer = Object.keys(cache).find((path) => path.endsWith('/mqtt-packet/writeToStream.js'))
  msg.payload = { kept: cache[writer].exports.cacheNumbers }
  return msg`

const code = (id: string, func: string, to: string, libs: object[] = []) => ({
  id,
  z: 'tab',
  type: 'function',
  func,
  libs,
  outputs: 1,
  wires: [[to]],
})
const node = (id: string, type: string, more: object, ...to: string[]) => ({ id, z: 'tab', type, ...more, wires: [to] })
const format = '$moment("2020-01-02", "YYYY-MM-DD").format("DD.MM.YYYY")'

/** One way through all nodes that need a package which is not loaded with Node-RED, and one for files that are sent. */
const flows = [
  { id: 'tab', type: 'tab', label: 'Flow' },
  node('in', 'http in', { url: '/do', method: 'get' }, 'look'),
  code('look', loadedNow, 'json-1', [{ var: 'module', module: 'module' }]),
  node('json-1', 'json', { property: 'payload', action: '' }, 'day'),
  node('day', 'change', { rules: [{ t: 'set', p: 'day', pt: 'msg', to: format, tot: 'jsonata' }] }, 'page'),
  code('page', 'msg.json = msg.payload; msg.payload = "<p>a</p><p>b</p>"; return msg', 'html-1'),
  node('html-1', 'html', { property: 'payload', tag: 'p', ret: 'text', as: 'single' }, 'list'),
  code('list', 'msg.html = msg.payload; msg.payload = "x: [1, 2]"; return msg', 'yaml-1'),
  node('yaml-1', 'yaml', { property: 'payload' }, 'order'),
  code('order', 'msg.yaml = msg.payload; msg.payload = "<bread><kind>rye</kind></bread>"; return msg', 'xml-1'),
  node('xml-1', 'xml', { property: 'payload', attr: '', chr: '' }, 'ask'),
  code('ask', 'msg.xml = msg.payload; msg.url = env.get("OVEN"); return msg', 'http-1'),
  node('http-1', 'http request', { method: 'GET', ret: 'txt', url: '' }, 'all'),
  code(
    'all',
    'const { before, json, day, html, yaml, xml } = msg; msg.payload = { before, json, day, html, yaml, xml, cookie: msg.payload }; return msg',
    'out',
  ),
  node('out', 'http response', {}),
  node('send', 'http in', { url: '/file', method: 'post', upload: true }, 'file'),
  code('file', 'msg.payload = msg.req.files[0].originalname; return msg', 'out'),
]
/** Gives a cookie, leads on, and answers there with the cookies that it gets. */
async function startOven(): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    if (incoming.url === '/warm') return void outgoing.end(incoming.headers.cookie)
    outgoing.writeHead(302, { location: '/warm', 'set-cookie': 'bread=rye' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const broker = { id: 'broker', type: 'mqtt-broker', broker: '127.0.0.1', port: '1', autoConnect: true, keepalive: '60' }
const mqtt = node('mqtt-1', 'mqtt in', { topic: 'news', qos: '0', broker: 'broker', inputs: 0 })

test.for(versions)('what Node-RED %s loads only when it is needed is there then', async (version) => {
  const { driver, spec, putFlows, platform, close } = await openLocal()
  onTestFinished(close)
  platform.behaviour.env = { OVEN: await startOven() }
  const [one, other] = [spec(version), spec(version)]
  putFlows(one.id, flows)
  const look = node('in-2', 'http in', { url: '/numbers', method: 'get' }, 'numbers')
  const numbers = code('numbers', numbersKept, 'out', [{ var: 'module', module: 'module' }])
  putFlows(other.id, [...flows, broker, mqtt, look, numbers])
  await Promise.all([driver.start(one), driver.start(other)])
  await Promise.all([runs(driver, one.id), runs(driver, other.id)])
  const endpoint = driver.endpoint(one.id) as { socketPath: string }
  const ask = () =>
    until('the flow answers', async () => {
      const { status, text } = await askInstance(endpoint, '/do')
      return status === 200 && (JSON.parse(text) as object)
    })
  const answer = {
    json: { n: 1 },
    day: '02.01.2020',
    html: ['a', 'b'],
    yaml: { x: [1, 2] },
    xml: { bread: { kind: ['rye'] } },
    cookie: 'bread=rye',
  }
  expect(await ask()).toEqual({
    before: ['multer/lib/make-middleware.js'],
    ...answer,
  })
  const loaded = [
    'cheerio/lib/load.js',
    'ajv/dist/core.js',
    'multer/lib/make-middleware.js',
    'moment/moment.js',
    'xml2js/lib/parser.js',
    'tldts/dist/cjs/index.js',
  ]
  expect(await ask()).toEqual({ before: loaded, ...answer })
  expect(await sendFile(endpoint.socketPath, 'bread.txt')).toBe('bread.txt')
  await until('the other one has tried to reach its broker', async () =>
    (await driver.logs(other.id, { limit: 1000 })).some(({ msg }) => msg.includes('Connection failed to broker')),
  )
  expect((await askInstance(driver.endpoint(other.id)!, '/numbers')).text).toBe('{"kept":false}')
})

/** As a form of a page does. Resolves with what the flow says. */
function sendFile(socketPath: string, name: string): Promise<string> {
  const part = `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\nrye\r\n--b--\r\n`
  const headers = { 'content-type': 'multipart/form-data; boundary=b', 'content-length': part.length }
  return new Promise((resolve, reject) => {
    const call = request({ socketPath, path: '/file', method: 'POST', headers, agent: false }, (reply) => {
      let text = ''
      reply.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      reply.on('end', () => resolve(text))
    })
    call.on('error', reject).end(part)
  })
}
