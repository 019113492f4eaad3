import type { Nodes } from '../pushes.ts'

/** The number of nodes, tabs and configuration among them. */
export const plantSize = 310
const lines = 10

export interface Plant {
  /** Told in the answer to GET /ping. */
  version: string
  /** The port of an MQTT broker. */
  broker: number
  /** The port of a machine that takes TCP connections. */
  scanner: number
  /** The port on which the first line listens; without one it connects to the scanner like all others. */
  listens?: number | undefined
}

/** Flows of a plant with ten production lines: what they ask, send, receive, watch and work out. */
export function plantOf(plant: Plant): Nodes {
  const nodes = [...shared(plant), ...Array.from({ length: lines }, (_, at) => lineOf(plant, at + 1)).flat()]
  if (nodes.length !== plantSize) throw new Error(`The plant has ${nodes.length} nodes`)
  return nodes
}

const fn = (func: string) => ({ type: 'function', func, outputs: 1, libs: [], initialize: '', finalize: '' })
const change = (p: string, to: string, toType = 'str', pt = 'msg') => ({
  type: 'change',
  rules: [{ t: 'set', p, pt, to, tot: toType }],
})
const template = (text: string) => ({ type: 'template', field: 'payload', template: text, output: 'str' })
const debug = { type: 'debug', active: true, tosidebar: true, console: false, complete: 'payload', targetType: 'msg' }
const inject = (payload: string, more: object) => ({
  type: 'inject',
  props: [{ p: 'payload' }],
  payload,
  payloadType: 'str',
  crontab: '',
  ...more,
})
const rules = (...values: string[]) => ({
  type: 'switch',
  property: 'payload.state',
  propertyType: 'msg',
  rules: values.map((v) => ({ t: 'eq', v, vt: 'str' })),
  checkall: 'true',
  outputs: values.length,
})

/** The broker, a subflow that scales values, and the address that answers with the version. */
function shared({ version, broker }: Plant): Nodes {
  const inner = { z: 'scale', x: 100, y: 100 }
  const at = { z: 'office', x: 100, y: 100 }
  return [
    {
      id: 'plant',
      type: 'mqtt-broker',
      broker: '127.0.0.1',
      port: String(broker),
      clientid: '',
      cleansession: true,
      protocolVersion: '4',
      keepalive: '60',
      autoConnect: true,
    },
    {
      id: 'scale',
      type: 'subflow',
      name: 'Scale',
      env: [{ name: 'FACTOR', type: 'num', value: '10' }],
      in: [{ x: 40, y: 40, wires: [{ id: 'scale1' }] }],
      out: [{ x: 400, y: 40, wires: [{ id: 'scale4', port: 0 }] }],
    },
    { ...inner, id: 'scale1', ...change('raw', 'payload', 'msg'), wires: [['scale2']] },
    {
      ...inner,
      id: 'scale2',
      ...rules(),
      property: 'raw',
      outputs: 1,
      rules: [{ t: 'neq', v: 'off', vt: 'str' }],
      wires: [['scale3']],
    },
    {
      ...inner,
      id: 'scale3',
      ...fn("msg.payload = Number(msg.raw) * env.get('FACTOR'); return msg"),
      wires: [['scale4']],
    },
    { ...inner, id: 'scale4', ...change('unit', 'kg'), wires: [[]] },
    { id: 'office', type: 'tab', label: 'Office' },
    { ...at, id: 'ping', type: 'http in', url: '/ping', method: 'get', wires: [['version']] },
    { ...at, id: 'version', ...template(version), wires: [['pong']] },
    { ...at, id: 'pong', type: 'http response', statusCode: '200', headers: {}, wires: [] },
  ]
}

/** Thirty nodes, its tab included. */
function lineOf({ scanner, listens }: Plant, line: number): Nodes {
  const tab = `line${line}`
  const topic = (of: string) => `plant/${tab}/${of}`
  /** A switch leads to one node each from its outputs, others lead to all from one. */
  const on = (name: string, node: { type: string; [property: string]: unknown }, ...to: string[]) => {
    const ids = to.map((one) => `${tab}-${one}`)
    const wires = node.type === 'switch' ? ids.map((id) => [id]) : ids.length > 0 ? [ids] : []
    return { id: `${tab}-${name}`, z: tab, x: 100, y: 100, ...node, wires }
  }
  const isServer = listens !== undefined && line === 1
  const tcp = isServer ? { server: 'server', port: String(listens) } : { server: 'client', port: String(scanner) }
  const link = (name: string, type: string, other: string) => ({ type, name, links: [`${tab}-${other}`] })
  return [
    { id: tab, type: 'tab', label: `Line ${line}` },
    on('ask', { type: 'http in', url: `/${tab}/state`, method: 'get' }, 'state'),
    on('state', fn("msg.payload = flow.get('state') || {}; return msg"), 'answer'),
    on('answer', { type: 'http response', statusCode: '', headers: {} }),
    on('beat', inject('run', { repeat: '5', once: false }), 'command'),
    on('command', fn('msg.payload = { command: msg.payload, at: Date.now() }; return msg'), 'address'),
    on('address', change('topic', topic('command')), 'send'),
    on('send', { type: 'mqtt out', topic: '', qos: '1', retain: '', broker: 'plant' }),
    on('oven', { type: 'mqtt in', topic: topic('oven'), qos: '1', datatype: 'auto-detect', broker: 'plant' }, 'parse'),
    on('parse', fn('msg.payload = { state: msg.payload.state, at: Date.now() }; return msg'), 'sort'),
    on('sort', rules('hot', 'cold'), 'hot', 'cold'),
    on('hot', change('level', 'warning'), 'text'),
    on('cold', change('level', 'alarm'), 'text'),
    on('text', template('Line {{level}}: {{payload.state}}'), 'alarm', 'out'),
    on('alarm', { type: 'mqtt out', topic: topic('alarm'), qos: '0', retain: '', broker: 'plant' }),
    on('out', { ...link('measured', 'link out', 'in'), mode: 'link' }),
    on(
      'scan',
      { type: 'tcp in', ...tcp, host: '127.0.0.1', datamode: 'stream', datatype: 'utf8', newline: '\\n' },
      'code',
    ),
    on('code', fn('msg.payload = { code: msg.payload, state: msg.payload ? "read" : "empty" }; return msg'), 'known'),
    on('known', rules('read'), 'weigh'),
    on(
      'weigh',
      { type: 'subflow:scale', name: '', env: [{ name: 'FACTOR', type: 'num', value: String(line) }] },
      'show',
    ),
    on('show', debug),
    on('in', link('measured', 'link in', 'out'), 'amount'),
    on('amount', { type: 'subflow:scale', name: '', env: [] }, 'keep'),
    on('keep', change('state', 'payload', 'msg', 'flow'), 'kept'),
    on('kept', { ...debug, active: false }),
    on('catch', { type: 'catch', scope: null, uncaught: false }, 'caught'),
    on('caught', debug),
    on('begin', inject('rye', { once: true, onceDelay: 0.1, repeat: '' }), 'recipe'),
    on('recipe', change('recipe', 'payload', 'msg', 'flow')),
    on('note', { type: 'comment', name: 'The scanner sends one code a line' }),
  ]
}
