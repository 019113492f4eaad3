import { expect, test } from 'vitest'
import { type Action, actionObstacle, isUnsettled, pollWait } from './states.ts'

test('[INST-35] an instance is asked for while it changes or a change is pending, after a second, then 1.15 times as long each', () => {
  expect([0, 1, 2].map((polls) => Math.round(pollWait(polls)))).toEqual([1000, 1150, 1322])
  const asks = (state: string | undefined, pending = false) => isUnsettled(state, pending)
  expect([asks('starting'), asks('running'), asks(undefined), asks('running', true)]).toEqual([
    true,
    false,
    false,
    true,
  ])
})

test.each<[string, boolean, Action[]]>([
  ['running', false, ['restart', 'suspend']],
  ['suspended', false, ['start']],
  ['suspended', true, ['start', 'restart', 'suspend']],
  ['crashed', false, ['start', 'restart', 'suspend']],
  ['starting', false, []],
])('an instance that is %s, asleep: %s, may be asked to %s', (state, sleeping, expected) => {
  const meta = { state, ...(sleeping ? { sleeping } : {}) }
  const asked = (pending: boolean) =>
    (['start', 'restart', 'suspend'] as const).filter((action) => actionObstacle(action, meta, pending) === undefined)
  expect([asked(false), asked(true)]).toEqual([expected, []])
})

test('an action that cannot be asked for says why', () => {
  expect([
    actionObstacle('start', { state: 'running' }, false),
    actionObstacle('restart', { state: 'suspended' }, false),
    actionObstacle('suspend', { state: 'starting' }, true),
    actionObstacle('restart', { state: 'running' }, true),
  ]).toEqual([
    'The instance is running.',
    'The instance is suspended.',
    'The instance is starting.',
    'Another change is under way.',
  ])
})
