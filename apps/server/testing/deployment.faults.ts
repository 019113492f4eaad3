import type { Deployment } from '@app/contract'
import { labelled, type Node, on } from './real.platform.ts'

/** A fault of flows, and the expected end of a deployment that brings them. */
export interface Fault {
  flows(label: string, port: number): Node[]
  /** Fields sent with the deployment, besides its flows. */
  extras?: object
  /** Setting of the instance. */
  onErrors?: 'refuse' | 'pass'
  ends: Deployment['state']
  /** The sentence of one that failed. */
  reason?: RegExp
  /** Its faults, as kind and node. */
  faults?: (label: string) => string[]
  /** A line of the log that says so. */
  line?: RegExp
  /** Number of times that these flows, and those that served before, begin to act. */
  acts: { brought: number; before: number }
}

const nowhere = { broker: '127.0.0.1', port: '1', protocolVersion: '4', autoConnect: true }
const fails = (label: string): Node[] => [
  on(`sends-${label}`, 'inject', { once: true, onceDelay: 0.1, repeat: '', props: [], wires: [[`throws-${label}`]] }),
  on(`throws-${label}`, 'function', { func: 'throw new Error("no flour")', outputs: 1, wires: [[]] }),
]
const listens = (label: string, port: number) =>
  on(`listens-${label}`, 'tcp in', {
    server: 'server',
    port: `${port}`,
    datamode: 'stream',
    datatype: 'utf8',
    newline: '',
  })
const compiles = (label: string) =>
  on(`code-${label}`, 'function', { func: 'msg.payload = {;', outputs: 1, wires: [[]] })

/** Each kind of fault that flows can have, made on purpose. Those that let flows run are in one, which names them all. */
export const faults: Record<string, Fault> = {
  'a node type that is missing': {
    flows: (label) => [...labelled(label), on('modbus', 'modbus-read')],
    ends: 'failed',
    reason: /Its flows do not run: node type modbus-read is missing\./,
    faults: () => ['type modbus'],
    line: /modbus-read/,
    acts: { brought: 0, before: 1 },
  },
  'a module of a function that cannot be installed': {
    flows: (label) => [
      ...labelled(label),
      on('fn', 'function', { func: '', libs: [{ var: 'x', module: 'no-such-module-qqq-7731' }] }),
    ],
    ends: 'failed',
    reason: /no-such-module-qqq-7731/,
    acts: { brought: 0, before: 1 },
  },
  'a module of a node that cannot be installed': {
    flows: labelled,
    extras: { install: [{ name: 'no-such-module-qqq-7731', version: '1.0.0' }] },
    ends: 'failed',
    reason: /no-such-module-qqq-7731/,
    acts: { brought: 0, before: 1 },
  },
  'errors of flows that run': {
    flows: (label, port) => [
      ...labelled(label),
      ...fails(label),
      listens(label, port),
      compiles(label),
      on(`red-${label}`, 'function', { func: '', initialize: 'node.status({ fill: "red", text: "empty" })' }),
      { id: `broker-${label}`, type: 'mqtt-broker', ...nowhere },
      on(`mqtt-${label}`, 'mqtt in', { topic: 'a', qos: '0', broker: `broker-${label}`, wires: [[]] }),
    ],
    ends: 'done',
    faults: (label) => [
      `compile code-${label}`,
      `error throws-${label}`,
      `listen listens-${label}`,
      `status mqtt-${label}`,
      `status red-${label}`,
    ],
    acts: { brought: 1, before: 1 },
  },
  'code that does not compile, where errors are refused': {
    flows: (label) => [...labelled(label), compiles(label)],
    onErrors: 'refuse',
    ends: 'failed',
    reason: /Its flows run with 1 new error in function “code-[^”]+” on “Oven”: SyntaxError/,
    faults: (label) => [`compile code-${label}`],
    line: /SyntaxError/,
    // It shows before they act.
    acts: { brought: 0, before: 1 },
  },
  'errors that show once flows act, where they are refused': {
    flows: (label, port) => [...labelled(label), ...fails(label), listens(label, port)],
    onErrors: 'refuse',
    ends: 'failed',
    reason: /Its flows run with 2 new errors in (?:tcp in|function) /,
    faults: (label) => [`error throws-${label}`, `listen listens-${label}`],
    line: /EADDRINUSE|no flour/,
    // The flows before are started again.
    acts: { brought: 1, before: 2 },
  },
}
