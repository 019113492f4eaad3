import { expect, test } from 'vitest'
import { sleepObstacle } from './flows.sleep.ts'

const tab = { id: 't', type: 'tab', label: 'One' }
const node = (type: string, more: object = {}) => ({ id: type, type, z: 't', wires: [], ...more })
const code = (func: string, more: object = {}) =>
  node('function', { name: 'greet', func, libs: [], initialize: '', ...more })

test('flows that only answer requests may sleep', () => {
  expect(sleepObstacle([])).toBeNull()
  const flows = [
    tab,
    node('http in', { url: '/hello' }),
    code('msg.payload = "Hello " + msg.req.query.who\nreturn msg'),
    node('change', { rules: [{ t: 'set', p: 'payload', pt: 'msg', to: 'x', tot: 'str' }] }),
    node('switch', { propertyType: 'msg', rules: [{ t: 'eq', v: '1', vt: 'str' }] }),
    node('template'),
    node('http response'),
    node('debug'),
    node('inject', { repeat: '', crontab: '', once: false }),
    { id: 's', type: 'subflow', name: 'Sub' },
    { id: 'i', type: 'subflow:s', z: 't' },
  ]
  expect(sleepObstacle(flows)).toBeNull()
  expect(sleepObstacle({ flows })).toBeNull()
})

test.each([
  [node('inject', { name: 'every minute', repeat: '60' }), 'The inject node "every minute" runs by the clock.'],
  [node('inject', { crontab: '0 8 * * *' }), 'One inject node runs by the clock.'],
  [node('inject', { once: true }), /whenever the instance starts/],
  [node('mqtt in'), /may have timers or connections of its own/],
  [node('ui_chart'), /may have timers or connections/],
  [node('constructor'), /may have timers or connections/],
  [
    code('setInterval(() => node.send({}), 1000)'),
    'The function node "greet" uses "setInterval", which may be lost in sleep.',
  ],
  [code('flow.set("n", 1)'), /uses "flow"/],
  [code('', { initialize: 'connect()' }), /runs code whenever the instance starts/],
  [code('', { libs: [{ var: 'net', module: 'net' }] }), /uses modules/],
  [node('change', { rules: [{ t: 'set', p: 'n', pt: 'global', to: '1', tot: 'num' }] }), /keeps values in memory/],
  [node('switch', { propertyType: 'msg', rules: [{ t: 'gt', v: '', vt: 'prev' }] }), /compares with values in memory/],
])('what would be missed keeps an instance awake: %j', (one, why) => {
  expect(sleepObstacle([tab, one])).toMatch(why)
  // Nodes of a template of nodes run as well, and so does what belongs to no tab.
  expect(
    sleepObstacle([
      { ...one, z: 's' },
      { id: 's', type: 'subflow' },
    ]),
  ).toMatch(why)
})

test('what is disabled does not run', () => {
  expect(sleepObstacle([tab, node('mqtt in', { d: true })])).toBeNull()
  expect(sleepObstacle([{ ...tab, disabled: true }, node('mqtt in')])).toBeNull()
})

test('what has no known form keeps an instance awake', () => {
  expect(sleepObstacle({ flows: 'none' })).toBe('Its flows have a form that is not known.')
  expect(sleepObstacle([{}])).toMatch(/may have timers/)
})
