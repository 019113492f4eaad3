import { expect, test } from 'vitest'
import {
  ask,
  askProcess,
  createInstance,
  deployInEditor,
  isAlive,
  openTeam,
  processesIn,
  sees,
  until,
  untilState,
  visitEditor,
} from './harness/index.ts'
import { join } from 'node:path'

const { platform, visitors, owner, application } = await openTeam('Night Shift')
const instance = await createInstance(owner.client, { name: 'night-shift', applicationId: application.id })
await untilState(owner.client, instance.id, 'running')

/** Ticks into the log four times a second, and says how often when asked. */
const tickingFlow = [
  { id: 'f1', type: 'tab', label: 'Ticking', disabled: false, info: '' },
  {
    id: 't1',
    type: 'inject',
    z: 'f1',
    name: '',
    props: [],
    repeat: '0.25',
    crontab: '',
    once: true,
    onceDelay: 0.1,
    topic: '',
    x: 120,
    y: 80,
    wires: [['t2']],
  },
  {
    id: 't2',
    type: 'function',
    z: 'f1',
    name: '',
    outputs: 1,
    timeout: 0,
    noerr: 0,
    libs: [],
    initialize: '',
    finalize: '',
    x: 320,
    y: 80,
    wires: [[]],
    func: "const n = (flow.get('n') || 0) + 1\nflow.set('n', n)\nnode.warn('tick ' + n)",
  },
  {
    id: 't3',
    type: 'http in',
    z: 'f1',
    name: '',
    url: '/ticks',
    method: 'get',
    upload: false,
    x: 120,
    y: 160,
    wires: [['t4']],
  },
  {
    id: 't4',
    type: 'function',
    z: 'f1',
    name: '',
    outputs: 1,
    timeout: 0,
    noerr: 0,
    libs: [],
    initialize: '',
    finalize: '',
    x: 320,
    y: 160,
    wires: [['t5']],
    func: "msg.payload = String(flow.get('n') || 0)\nreturn msg",
  },
  { id: 't5', type: 'http response', z: 'f1', name: '', statusCode: '', headers: {}, x: 520, y: 160, wires: [] },
]

/** The server itself holds files of its instances open. */
const processOf = () =>
  processesIn(join(platform().home, 'instances', instance.id)).filter((pid) => pid !== platform().server.pid)
const ticks = async () => Number((await ask(platform(), instance.name, '/ticks')).body)

test('A killed server leaves its instances alone and finds the same processes again', async () => {
  const visitor = await visitors.open(platform(), owner)
  const editor = await visitEditor(visitor, `http://${platform().hostOf(instance.name)}`)
  await deployInEditor(editor, tickingFlow)
  await until(ticks, (count) => count >= 1)
  await visitor.context.close()

  const before = processOf()
  expect(before).toHaveLength(1)
  const counted = await ticks()
  await platform().server.end('SIGKILL')
  expect(before.map(isAlive)).toEqual([true])
  // No server sees lines that are logged now.
  const alone = async () => Number((await askProcess(platform(), instance.id, '/ticks')).body)
  const unseen = (await alone()) + 1
  await until(alone, (count) => count > unseen)

  await platform().start()
  await untilState(owner.client, instance.id, 'running')
  expect(processOf()).toEqual(before)
  // The count lives in memory only: had the process been replaced or restarted, it would have begun again.
  expect(await ticks()).toBeGreaterThan(counted)
  console.log(`the server answered again ${platform().server.startedInMs} ms after its start`)

  const { page } = await visitors.open(platform(), owner)
  // The page draws only the end of a log, and this one goes on.
  await page.goto(`/instance/${instance.id}/logs?q=tick%20${unseen}&only=matches`)
  await sees(page.getByText(new RegExp(`tick ${unseen}$`)).first())
  const history = await owner.client.call('instance.auditLog', { params: { instanceId: instance.id }, query: {} })
  expect(history.log.map(({ event }) => event)).not.toContain('crashed')
  expect(history.log.map(({ event }) => event)).not.toContain('stopped')
})
