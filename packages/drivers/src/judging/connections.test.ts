import { describe, expect, test } from 'vitest'
import { reconnected } from './connections.ts'

const broker = { id: 'broker', type: 'mqtt-broker', name: 'Hall 1', broker: 'mqtt.hall', port: '1883', tls: 'tls' }
const tls = { id: 'tls', type: 'tls-config', ca: '/etc/ca.pem' }
const mqtt = { id: 'in', type: 'mqtt in', z: 'tab', x: 1, y: 1, wires: [], topic: 'a', broker: 'broker' }
const tcp = { id: 'tcp', type: 'tcp in', z: 'tab', x: 1, y: 1, wires: [], host: 'oven', port: '9000' }
const before = [{ id: 'tab', type: 'tab' }, broker, tls, mqtt, tcp]
/** The same flows, in which these nodes have other properties. */
const but = (changes: Record<string, object>) => before.map((one) => ({ ...one, ...changes[one.id] }))

describe('nodes that connect elsewhere than before', () => {
  test.each<[string, Record<string, object>, string[]]>([
    ['nothing', {}, []],
    ['the place and the name of a node', { in: { x: 9, z: 'other', name: 'Orders' }, tcp: { y: 4 } }, []],
    ['the name of a broker', { broker: { name: 'Hall 2' } }, []],
    ['a topic', { in: { topic: 'b' } }, []],
    ['the address of a broker', { broker: { broker: 'mqtt.other' } }, ['broker', 'in']],
    ['the certificate that a broker refers to', { tls: { ca: '/etc/other.pem' } }, ['broker', 'tls', 'in']],
    ['the port of a node without configuration', { tcp: { port: '9001' } }, ['tcp']],
  ])('when %s changes', (_name, changes, ids) => {
    expect([...reconnected(before, but(changes))]).toEqual(ids)
  })

  test('are those with another broker, and not those that were not there', () => {
    const other = { ...broker, id: 'other', broker: 'mqtt.other' }
    const after = [...but({ in: { broker: 'other' } }), other, { ...mqtt, id: 'new' }]
    expect([...reconnected(before, after)]).toEqual(['in'])
  })
})
