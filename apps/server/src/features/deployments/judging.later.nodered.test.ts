import { versionsFor } from '@app/drivers/testing/versions'
import type { Deployment } from '@app/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../../testing/index.ts'
import { labelled, type Node, on, openRealPlatform, type RealPlatform } from '../../../testing/real.platform.ts'

/*
 * Attempts to have flows that do not run pass for done, where no start judges them at once: each has to be refused, or
 * has to be found out by the first start.
 */
let platform: RealPlatform
beforeAll(async () => {
  platform = await openRealPlatform()
})
afterAll(() => platform.close())

const lacks = (label: string) => [...labelled(label), on('odd', 'nobody-knows')]
const broken: Node[] = [
  { id: 'tab', type: 'tab', label: 'Oven' },
  on('note', 'comment', { name: 'Read this' }),
  on('bad', 'function', { func: 'msg.payload = {;', outputs: 1, wires: [[]] }),
]

describe.each(versionsFor(import.meta.filename))('on Node-RED %s', (version) => {
  async function suspended(flows?: Node[]) {
    const one = await platform.make(version)
    const brought = flows && (await platform.importTo(one, flows))
    expect(brought?.state).toBe(flows && 'done')
    await platform.act('suspend', one.id)
    await platform.inState(one.id, 'suspended')
    return one
  }
  const judged = (one: { id: string }): Promise<Deployment> =>
    until(
      () => platform.last(one),
      ({ verdict }) => verdict !== 'unjudged',
      30_000,
    )
  async function start(one: { id: string }) {
    await platform.act('start', one.id)
    await platform.inState(one.id, 'running')
    return judged(one)
  }

  test('a suspended instance refuses what is certain, keeps its flows, and judges the rest when it starts', async () => {
    const one = await suspended(labelled('first'))
    expect(await platform.importTo(one, lacks('second'))).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('The request does not allow type:nobody-knows.') as string,
    })
    expect(await platform.importTo(one, broken)).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('The request does not allow function:bad.') as string,
    })
    // Node-RED alone knows what a module has that nobody has run.
    const install = [{ name: 'ms', version: '2.1.3' }]
    expect(await platform.importTo(one, lacks('third'), { install })).toMatchObject({
      state: 'done',
      verdict: 'unjudged',
    })
    const found = await start(one)
    expect(found).toMatchObject({ state: 'failed', verdict: 'stopped', faults: [{ kind: 'type' }] })
    expect(found.reason).toContain('Its flows do not run: node type nobody-knows is missing.')
  })

  test('a yes to code that does not parse is none to flows of which no node works', async () => {
    const one = await suspended()
    const allowStopped = ['function:bad']
    expect(await platform.importTo(one, broken, { allowStopped })).toMatchObject({ verdict: 'unjudged' })
    expect(await start(one)).toMatchObject({
      state: 'failed',
      verdict: 'stopped',
      reason: expect.stringContaining('None of its nodes works.') as string,
    })
  })

  test('flows that run are judged so at the next start, with their errors', async () => {
    const one = await suspended()
    const flows = [
      ...labelled('good'),
      on('throws', 'function', { func: '', initialize: 'node.error("no flour")', outputs: 1, wires: [[]] }),
    ]
    expect(await platform.importTo(one, flows)).toMatchObject({ state: 'done', verdict: 'unjudged' })
    expect(await start(one)).toMatchObject({ state: 'done', verdict: 'running', faults: [{ message: 'no flour' }] })
    expect((await platform.visit(one.name, '/word')).text).toBe('good')
  })

  test('a copy whose flows do not run has failed, by its first start', async () => {
    const source = await platform.make(version)
    const allowStopped = ['type:nobody-knows']
    expect(await platform.importTo(source, lacks('source'), { allowStopped })).toMatchObject({
      state: 'done',
      verdict: 'stopped',
    })
    const body = {
      name: `copy-${version.replaceAll('.', '-')}`,
      applicationId: platform.application.id,
      ...(await platform.choiceOf(version)),
      sourceProject: { id: source.id, options: { flows: true, credentials: true, envVars: true as const } },
    }
    const copy = await platform.owner.client.call('instance.create', { body })
    await platform.inState(copy.id, 'running')
    expect(await judged(copy)).toMatchObject({
      kind: 'duplicate',
      state: 'failed',
      verdict: 'stopped',
      reason: expect.stringContaining('node type nobody-knows is missing') as string,
    })
  })
})
