import { pingFlow } from '../data.ts'
import type { Nodes } from '../pushes.ts'

/** Connection of flows to a broker. */
export interface Session {
  name: string
  words: string
  qos: 0 | 1 | 2
  clientId: string
  keeps: boolean
}

export const nodered = '5.0.7'
const levels = [0, 1, 2] as const
export const sessions: Session[] = [
  ...levels.map((qos) => ({ name: `none${qos}`, words: `QoS ${qos}, no client ID`, qos, clientId: '', keeps: false })),
  ...levels.map((qos) => ({
    name: `own${qos}`,
    words: `QoS ${qos}, client ID`,
    qos,
    clientId: `own-${qos}`,
    keeps: false,
  })),
  ...([1, 2] as const).map((qos) => ({
    name: `kept${qos}`,
    words: `QoS ${qos}, kept session`,
    qos,
    clientId: `kept-${qos}`,
    keeps: true,
  })),
]
const place = { z: 'a1', x: 100, y: 100 }

/** Writes down each message with the version that handles it. A version that is to be refused answers no ping. */
export function flowsOf(version: string, port: number): Nodes {
  const [tab] = pingFlow
  const func = `msg.payload = '${version} ' + msg.topic.split('/')[1] + ' ' + msg.payload + ' ' + Date.now(); return msg`
  return [
    ...(version.startsWith('bad') ? [tab!] : pingFlow),
    ...sessions.flatMap(({ name, qos, clientId, keeps }) => [
      {
        id: `broker-${name}`,
        type: 'mqtt-broker',
        broker: '127.0.0.1',
        port: String(port),
        clientid: clientId,
        cleansession: !keeps,
        protocolVersion: '4',
        keepalive: '60',
        autoConnect: true,
      },
      {
        ...place,
        id: `in-${name}`,
        type: 'mqtt in',
        topic: `bread/${name}`,
        qos: String(qos),
        datatype: 'utf8',
        broker: `broker-${name}`,
        wires: [['note']],
      },
    ]),
    { ...place, id: 'note', type: 'function', func, outputs: 1, wires: [['file']] },
    {
      ...place,
      id: 'file',
      type: 'file',
      filename: 'handled.txt',
      filenameType: 'str',
      appendNewline: true,
      overwriteFile: 'false',
      wires: [[]],
    },
  ]
}

/** Listens on a port. A version that is to be refused answers no ping. */
export function tcpFlow(version: string, port: number): Nodes {
  const tcp = { ...place, id: 'tcp', type: 'tcp in', server: 'server', datamode: 'stream', datatype: 'utf8' }
  const [tab] = pingFlow
  const rest = version.startsWith('bad') ? [tab!] : pingFlow
  return [...rest, { ...tcp, port: String(port), name: version, newline: '', wires: [[]] }]
}
