import type { InstanceState, PushEvent } from '@app/contract'
import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, onTestFinished, test } from 'vitest'
import { keys } from './api-keys.ts'
import { applyEvent } from './realtime-patch.ts'

type State = { id: string; meta: Pick<InstanceState['meta'], 'state'> }
const as = (state: string) => ({ id: 'oven', meta: { state } })
const told = (state: string) =>
  ({ type: 'instance', id: 'oven', team: 't', application: 'a', state: { meta: { state } } }) as PushEvent

/** Somebody looks at an instance; each reading waits for its answer. */
function watch() {
  const client = new QueryClient()
  const readings: ((answer: State) => void)[] = []
  const queryKey = keys.instance('oven')
  const observer = new QueryObserver<State>(client, {
    queryKey,
    queryFn: () => new Promise((resolve) => void readings.push(resolve)),
  })
  onTestFinished(observer.subscribe(() => undefined))
  const shown = () => client.getQueryData<State>(queryKey)?.meta.state
  const answered = async () => {
    readings.shift()!(as('running'))
    await expect.poll(shown).toBe('running')
    void client.invalidateQueries({ queryKey })
  }
  return { client, readings, shown, answered }
}

test.each([true, false])(
  'an answer from before a change does not put the old state back for good (something read before: %s)',
  async (known) => {
    const { client, readings, shown, answered } = watch()
    if (known) await answered()
    await expect.poll(() => readings.length).toBe(1)
    applyEvent(client, told('suspending'))
    applyEvent(client, told('suspended'))
    expect(shown()).toBe(known ? 'suspended' : undefined)
    readings[0]!(as('suspending'))
    await expect.poll(() => readings.length).toBe(2)
    readings[1]!(as('suspended'))
    await expect.poll(shown).toBe('suspended')
  },
)

test('while nothing is read a change is taken over without asking', async () => {
  const { client, readings, shown } = watch()
  readings.shift()!(as('running'))
  await expect.poll(shown).toBe('running')
  applyEvent(client, told('suspended'))
  expect([shown(), readings.length]).toEqual(['suspended', 0])
})

test('what is told of a device makes it be read anew, with the lists it stands in and the counts of snapshots', () => {
  const client = new QueryClient()
  const stale = [keys.device('d'), keys.teamDevices('t', 'list', ''), keys.instanceDevices('i', 'target')]
  const all = [...stale, keys.snapshots('i'), keys.device('other'), keys.instance('i')]
  for (const key of all) client.setQueryData(key, {})
  applyEvent(client, { type: 'device', team: 't', id: 'd' })
  expect(all.filter((key) => client.getQueryState(key)?.isInvalidated)).toEqual([...stale, keys.snapshots('i')])
})

test('a new entry of a team or an instance makes the logs of devices be read anew, where it may stand too', () => {
  const client = new QueryClient()
  const stale = [keys.audit('project', 'i', {}), keys.audit('device', 'd', {})]
  const all = [...stale, keys.audit('team', 't', {}), keys.device('d')]
  for (const key of all) client.setQueryData(key, {})
  applyEvent(client, { type: 'audit', team: 't', scope: 'project', id: 'i' })
  expect(all.filter((key) => client.getQueryState(key)?.isInvalidated)).toEqual(stale)
})

test('errors of flows are read anew when they change and with the process; a node of them when they are deployed', () => {
  const errors = keys.instanceErrors('oven')
  const node = keys.instanceNode('oven', 'n')
  const state = { meta: { state: 'running' } }
  const staleAfter = (event: object) => {
    const client = new QueryClient()
    for (const key of [errors, node, keys.instanceErrors('other')]) client.setQueryData(key, {})
    applyEvent(client, { id: 'oven', team: 't', ...event } as PushEvent)
    return [errors, node, keys.instanceErrors('other')].filter((key) => client.getQueryState(key)?.isInvalidated)
  }
  expect(staleAfter({ type: 'errors' })).toEqual([errors])
  expect(staleAfter({ type: 'instance', application: 'a', state })).toEqual([errors])
  expect(staleAfter({ type: 'instance', application: 'a', state: { ...state, sleepObstacle: null } })).toEqual([
    errors,
    node,
  ])
})

test('a preview that somebody reads is asked for again only when the flows or settings of its instance changed', () => {
  const client = new QueryClient()
  const key = keys.previews('oven', 'changes', 'file')
  client.setQueryData(key, {})
  const isStale = () => client.getQueryState(key)?.isInvalidated
  applyEvent(client, told('suspending'))
  applyEvent(client, { type: 'errors', id: 'oven', team: 't' })
  expect(isStale()).toBe(false)
  applyEvent(client, { ...told('running'), changed: true } as PushEvent)
  expect(isStale()).toBe(true)
})
