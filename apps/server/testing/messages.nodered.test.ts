import type { Instance } from '@app/contract'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { embeddedBroker } from './broker.ts'
import { until } from './index.ts'
import { type Node, on, openRealPlatform, type RealPlatform } from './real.platform.ts'

/*
 * The nodes `project link in`, `out` and `call` in real instances, over the real broker.
 */
let platform: RealPlatform
beforeAll(async () => {
  platform = await openRealPlatform({ broker: embeddedBroker })
})
afterAll(async () => {
  await platform.server.app.services.brokerProcess?.end()
  await platform.close()
})

const tab = { id: 'tab', type: 'tab', label: 'Line' }
/** Answers `path` after what `node` has done with the text of the query. */
const asked = (path: string, node: Node): Node[] => [
  on(`in-${path}`, 'http in', { url: `/${path}`, method: 'get', wires: [[`text-${path}`]] }),
  on(`text-${path}`, 'change', {
    rules: [{ t: 'set', p: 'payload', pt: 'msg', to: 'req.query.text', tot: 'msg' }],
    wires: [[node.id, ...(node.type === 'project link call' ? [] : [`out-${path}`])]],
  }),
  { ...node, ...(node.type === 'project link call' && { wires: [[`out-${path}`]] }) },
  on(`out-${path}`, 'http response'),
]
/** Sends to the instance, calls it and tells all. */
const sending = (to: string): Node[] => [
  tab,
  ...asked(
    'send',
    on('out', 'project link out', { mode: 'link', broadcast: false, project: to, topic: 'bread/baked' }),
  ),
  ...asked('ask', on('call', 'project link call', { project: to, topic: 'bread/ask', timeout: '20' })),
  ...asked('tell', on('all', 'project link out', { mode: 'link', broadcast: true, project: '', topic: 'news' })),
]
const noted = (id: string, label: string, link: Node): Node[] => [
  on(id, 'project link in', { ...link, wires: [[`mark-${id}`]] }),
  on(`mark-${id}`, 'function', {
    func: `msg.payload = '${label} ' + msg.payload; return msg`,
    outputs: 1,
    wires: [['file']],
  }),
]
/** Writes down what it is sent and told, and answers calls. */
const receiving = (from: string): Node[] => [
  tab,
  ...noted('sent', 'sent', { broadcast: false, project: '', topic: 'bread/baked' }),
  ...noted('any', 'any', { broadcast: true, project: 'all', topic: 'news' }),
  ...noted('one', 'one', { broadcast: true, project: from, topic: 'news' }),
  on('file', 'file', { filename: 'got.txt', filenameType: 'str', appendNewline: true, overwriteFile: 'false' }),
  on('asked', 'project link in', { broadcast: false, project: '', topic: 'bread/ask', wires: [['answer']] }),
  on('answer', 'function', {
    func: "msg.payload = 'yes, ' + msg.payload; return msg",
    outputs: 1,
    wires: [['return']],
  }),
  on('return', 'project link out', { mode: 'return', broadcast: false, project: '', topic: '' }),
]

const got = async ({ id }: Instance) =>
  (await readFile(join(platform.home, 'instances', id, 'user', 'got.txt'), 'utf8').catch(() => ''))
    .split('\n')
    .slice(0, -1)
const ask = (one: Instance, path: string, text: string) => platform.visit(one.name, `/${path}?text=${text}`)
/** Says something until it arrives: nodes take a moment to connect. */
const connected = async (from: Instance, to: Instance) =>
  until(
    async () => {
      await ask(from, 'send', 'hello')
      return got(to)
    },
    (lines) => lines.includes('sent hello'),
  )

describe.each(['5.0.7', '4.1.15'])('Node-RED %s', (version) => {
  test('an instance sends to another one, calls it and tells all; each message arrives once by each way', async () => {
    const [from, to] = [await platform.make(version), await platform.make(version)]
    await platform.importTo(to, receiving(from.id))
    expect(await platform.importTo(from, sending(to.id))).toMatchObject({ state: 'done' })
    await connected(from, to)
    await ask(from, 'send', 'rye')
    await until(
      () => got(to),
      (lines) => lines.includes('sent rye'),
    )
    expect(await ask(from, 'ask', 'rye')).toMatchObject({ status: 200, text: 'yes, rye' })
    await ask(from, 'tell', 'open')
    const lines = await until(
      () => got(to),
      (all) => all.filter((line) => line.endsWith('open')).length >= 2,
    )
    expect(lines.filter((line) => !line.endsWith('hello')).toSorted()).toEqual(['any open', 'one open', 'sent rye'])
  })
})
