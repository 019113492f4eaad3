import type { Client } from '@app/client'
import { until } from '@app/server/testing'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Editor, signInToEditor, withPlainNodeRed } from '../editors.ts'
import { median, spread } from '../figures.ts'
import { type Context, type Measure, withServer } from '../measure.ts'
import type { Row } from '../report.ts'

const versions = ['5.0.7', '4.1.15']

interface Times {
  /** Seconds until the answer, at which the editor says "Successfully deployed". */
  answered: number[]
  /** Seconds until the deployed flows answer a request. */
  running: number[]
}

/** A deploy of many nodes as the editor makes it, to an instance and, by turns, to a Node-RED that nobody manages. */
export const deploy: Measure = async (context) => {
  const nodes = context.quick ? 200 : 20_000
  const rounds = context.quick ? 1 : 5
  const rows: Row[] = []
  for (const version of versions) {
    const [ours, plain] = await both(context, version, nodes, rounds)
    const row = (what: string, { answered, running }: Times): Row => ({
      name: `deploy of ${nodes} nodes, ${what}`,
      value: median(running),
      unit: 's',
      measured: `from POST /flows, in full, until the deployed flows answer a request, ${rounds} times`,
      data: `Node-RED ${version}, ${nodes} nodes on ${Math.ceil(nodes / perTab)} tabs: change, switch and template; all of them replaced`,
      note: `${spread(running)}; answered after ${median(answered).toPrecision(3)} s`,
    })
    rows.push({ ...row(`Node-RED ${version}`, ours), target: { is: 'at most', value: 2.5 } })
    rows.push(row(`Node-RED ${version} by itself`, plain))
  }
  return rows
}

async function both(context: Context, version: string, nodes: number, rounds: number): Promise<[Times, Times]> {
  const ours: Times = { answered: [], running: [] }
  const plain: Times = { answered: [], running: [] }
  await withPlainNodeRed(context.home, version, (itself) =>
    withServer(context, (server, cookie) =>
      withInstance(context, server.client(cookie), version, async (name) => {
        const instance = await signInToEditor(server.port, name, cookie)
        // The first one, into an instance without flows, is not counted.
        for (let round = 0; round <= rounds; round++)
          for (const [editor, times] of [
            [instance, ours],
            [itself, plain],
          ] as const) {
            const one = await deployed(editor, flowsOf(nodes, round), `round ${round}`)
            if (round === 0) continue
            times.answered.push(one.answered)
            times.running.push(one.running)
          }
      }),
    ),
  )
  return [ours, plain]
}

async function deployed(editor: Editor, flows: object[], answer: string) {
  const began = performance.now()
  const seconds = () => (performance.now() - began) / 1000
  await editor.deploy(flows)
  const answered = seconds()
  while ((await editor.ask('/round')) !== answer) {
    if (seconds() > 120) throw new Error(`The flows of ${answer} did not answer within two minutes`)
    await sleep(2)
  }
  return { answered, running: seconds() }
}

/** Gives `work` the name of a running instance of this version. */
async function withInstance(
  { data: { applicationId, choice } }: Context,
  client: Client,
  version: string,
  work: (name: string) => Promise<void>,
): Promise<void> {
  const { stacks } = await client.call('stack.list', { query: { projectType: choice.projectType } })
  const stack = stacks.find(({ properties }) => properties.nodered === version)?.id
  if (!stack) throw new Error(`No stack has Node-RED ${version}`)
  const name = `deploy-${version.replaceAll('.', '-')}`
  const { id } = await client.call('instance.create', { body: { name, applicationId, ...choice, stack } })
  const params = { instanceId: id }
  try {
    await until(
      () => client.call('instance.get', { params }),
      ({ meta }) => meta.state === 'running',
      120_000,
    )
    await work(name)
  } finally {
    // After a failure something may be under way, and its refusal would be told in the place of the failure.
    await until(
      () => client.call('instance.jobs', { params }),
      ({ jobs }) => jobs.every(({ endedAt }) => endedAt !== undefined),
      120_000,
    )
    await client.call('instance.delete', { params })
  }
}

const perTab = 500

/** Chains of 50 nodes on tabs of 500, all of them other ones in each round, and one address that tells the round. */
function flowsOf(nodes: number, round: number): object[] {
  const flows: object[] = [
    { id: 'round', type: 'tab', label: 'Round' },
    { id: 'in', type: 'http in', z: 'round', url: '/round', method: 'get', wires: [['text']], x: 100, y: 100 },
    { id: 'text', type: 'template', z: 'round', template: `round ${round}`, wires: [['out']], x: 250, y: 100 },
    { id: 'out', type: 'http response', z: 'round', statusCode: '', headers: {}, wires: [], x: 400, y: 100 },
  ]
  for (let at = 0; at < nodes; at++) {
    if (at % perTab === 0) flows.push({ id: `tab-${at / perTab}`, type: 'tab', label: `Line ${at / perTab}` })
    flows.push({
      id: `n${at}`,
      z: `tab-${Math.floor(at / perTab)}`,
      name: `step ${at}, round ${round}`,
      x: 120 + (at % 50) * 200,
      y: 60 + Math.floor((at % perTab) / 50) * 60,
      wires: at % 50 === 49 ? [[]] : [[`n${at + 1}`]],
      ...kinds[at % kinds.length]!,
    })
  }
  return flows
}

/** No functions: Node-RED gives each a JavaScript context of its own, and it is these that one would measure. */
const kinds = [
  { type: 'change', rules: [{ t: 'set', p: 'topic', pt: 'msg', to: 'oven', tot: 'str' }] },
  {
    type: 'switch',
    property: 'payload',
    propertyType: 'msg',
    rules: [{ t: 'gte', v: '0', vt: 'num' }],
    checkall: 'true',
    repair: false,
    outputs: 1,
  },
  { type: 'template', field: 'payload', fieldType: 'msg', syntax: 'mustache', template: '{{topic}}', output: 'str' },
]
