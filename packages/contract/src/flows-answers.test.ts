import { expect, test } from 'vitest'
import { unansweredRequests } from './flows-answers.ts'

const on = (id: string, type: string, to: string[] = [], more: object = {}) => ({
  id,
  type,
  z: 'tab',
  x: 0,
  y: 0,
  wires: [to],
  ...more,
})
const asks = (...to: string[]) => on('in', 'http in', to)
const answer = on('out', 'http response')
const subflow = (entries: string[], exits: string[]) => ({
  id: 'sub',
  type: 'subflow',
  in: [{ wires: entries.map((id) => ({ id })) }],
  out: [{ wires: exits.map((id) => ({ id, port: 0 })) }],
})
const within = { z: 'sub' }
const unanswered = (...nodes: object[]) =>
  unansweredRequests([{ id: 'tab', type: 'tab' }, ...(nodes as ReturnType<typeof on>[])]).map(({ id }) => id)
const all = ['in']

test('requests are answered where wires lead to a response, and not where they end before', () => {
  expect(unanswered(asks('say'), on('say', 'template', ['out']), answer)).toEqual([])
  expect(unanswered(asks('say'), on('say', 'template'), answer)).toEqual(all)
  expect(unanswered(asks('say'), on('say', 'template', ['out']), { ...answer, d: true })).toEqual(all)
  expect(unanswered(asks('say'), on('say', 'template', ['out'], { d: true }), answer)).toEqual(all)
  expect(unanswered(asks('page'), on('page', 'ui-text'))).toEqual(all)
  expect(unanswered(asks(), { ...on('off', 'http in'), d: true })).toEqual(all)
})

test('a function and nodes of other modules may answer by themselves', () => {
  for (const type of ['function', 'aedes broker', 'rest-reply', 'subflow:gone'])
    expect(unanswered(asks('one'), on('one', type))).toEqual([])
})

test('links lead on, those that a message names too', () => {
  const back = on('link', 'link in', ['out'])
  expect(unanswered(asks('far'), on('far', 'link out', [], { links: ['link'] }), back, answer)).toEqual([])
  expect(unanswered(asks('far'), on('far', 'link out', [], { links: ['gone'] }), back, answer)).toEqual(all)
  const call = (more: object, ...to: string[]) => [asks('call'), on('call', 'link call', to, more), back]
  expect(unanswered(...call({ links: ['link'] }), answer)).toEqual([])
  expect(unanswered(...call({ linkType: 'dynamic' }), answer)).toEqual([])
  expect(unanswered(...call({ links: [] }, 'out'), answer)).toEqual([])
  expect(unanswered(...call({ links: [] }), answer)).toEqual(all)
})

test('messages go into subflows and out of them', () => {
  const use = on('use', 'subflow:sub', ['out'])
  const say = on('say', 'template', [], within)
  expect(unanswered(asks('use'), use, subflow(['say'], ['say']), say, answer)).toEqual([])
  expect(unanswered(asks('use'), use, subflow(['say'], []), say, answer)).toEqual(all)
  expect(unanswered(asks('use'), use, subflow([], ['sub']), answer)).toEqual([])
  expect(unanswered(asks('use'), use, subflow(['out'], []), { ...answer, ...within })).toEqual([])
  expect(unanswered(use, subflow([], ['in']), { ...asks(), ...within }, answer)).toEqual([])
  expect(unanswered(use, subflow([], []), { ...asks(), ...within }, answer)).toEqual(all)
  // Nothing uses it.
  expect(unanswered(subflow([], []), { ...asks(), ...within })).toEqual([])
})

test('nodes that see a message end, or fail, may have the answer', () => {
  const say = on('say', 'template')
  const sees = (type: string, more: object) => unanswered(asks('say'), say, on('sees', type, ['out'], more), answer)
  expect(sees('complete', { scope: ['say'] })).toEqual([])
  expect(sees('complete', { scope: ['out'] })).toEqual(all)
  expect(sees('catch', { scope: null })).toEqual([])
  expect(sees('catch', { scope: null, z: 'other' })).toEqual(all)
  expect(sees('status', { scope: null })).toEqual(all)
  const inside = [on('use', 'subflow:sub'), subflow([], []), { ...asks(), ...within }]
  expect(unanswered(...inside, on('sees', 'catch', ['out'], { scope: ['use'] }), answer)).toEqual([])
})

test('a request that a node keeps may be answered by another', () => {
  const kept = (rule: object) => unanswered(asks('keep'), on('keep', 'change', [], { rules: [rule] }))
  expect(kept({ t: 'set', p: 'waits', pt: 'flow', to: '', tot: 'msg' })).toEqual([])
  expect(kept({ t: 'set', p: 'waits', pt: 'global', to: 'res', tot: 'msg' })).toEqual([])
  expect(kept({ t: 'move', p: 'req', pt: 'msg', to: 'waits', tot: 'flow' })).toEqual([])
  expect(kept({ t: 'set', p: 'last', pt: 'flow', to: 'payload', tot: 'msg' })).toEqual(all)
  expect(kept({ t: 'set', p: 'res', pt: 'msg', to: 'results', tot: 'msg' })).toEqual(all)
})
