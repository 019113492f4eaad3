import { roles } from '@app/contract'
import { expect, test } from 'vitest'
import { type Grant, planFor, type Rule, sentenceOf, type Standing } from './rules.plan.ts'

const rule = (group: string, team: string | null, role: number = roles.member): Rule => ({
  group,
  teamId: team,
  teamName: team === null ? null : `Team ${team}`,
  role: team === null ? roles.admin : role,
})
const standing = (of: Record<string, number> = {}, grants: Grant[] = [], admin = false): Standing => ({
  admin,
  roles: new Map(Object.entries(of)),
  teamNames: new Map(Object.keys(of).map((id) => [id, `Team ${id}`])),
  grants,
})
const own = (teamId: string | null, role: number = roles.member): Grant => ({ teamId, role, own: true })
const others = (teamId: string | null, role: number = roles.member): Grant => ({ teamId, role, own: false })
const said = (...args: Parameters<typeof planFor>) => planFor(...args).effects.map(sentenceOf)

test('the highest role of several groups counts, and only groups that are the same letter by letter', () => {
  const rules = [rule('bakers', 'a'), rule('masters', 'a', roles.owner), rule('Bakers', 'b')]
  expect(planFor(rules, ['bakers', 'masters'], standing())).toEqual({
    effects: [{ kind: 'join', teamId: 'a', team: 'Team a', role: roles.owner, group: 'masters' }],
    grants: [{ teamId: 'a', role: roles.owner }],
  })
})

test('what a rule gave follows the groups, and what was given by hand stays', () => {
  const rules = [rule('bakers', 'a'), rule('bakers', 'b')]
  const before = standing({ a: roles.viewer, b: roles.owner, c: roles.member, d: roles.member }, [own('a'), own('c')])
  expect(said(rules, ['bakers'], before)).toEqual([
    'Becomes Member of “Team a”, by the group “bakers”.',
    'Stays Owner of “Team b”: the role was given by hand.',
    'Leaves “Team c”: no group gives a role there any more.',
  ])
  expect(planFor(rules, ['bakers'], before).grants).toEqual([{ teamId: 'a', role: roles.member }])
})

test('two providers give together: the end at one leaves what the other gives', () => {
  const both = standing({ a: roles.owner }, [own('a', roles.owner), others('a', roles.viewer)])
  expect(said([], [], both)).toEqual(['Becomes Viewer of “Team a”.'])
  const lower = standing({ a: roles.owner }, [others('a', roles.owner)])
  expect(planFor([rule('bakers', 'a')], ['bakers'], lower)).toEqual({
    effects: [],
    grants: [{ teamId: 'a', role: roles.member }],
  })
})

test('the right of administrators is given, and taken back only where a rule gave it', () => {
  const rules = [rule('heads', null)]
  expect(planFor(rules, ['heads'], standing())).toEqual({
    effects: [{ kind: 'admin', group: 'heads' }],
    grants: [{ teamId: null, role: roles.admin }],
  })
  expect(planFor(rules, ['heads'], standing({}, [], true))).toEqual({ effects: [], grants: [] })
  expect(planFor(rules, [], standing({}, [], true))).toEqual({ effects: [], grants: [] })
  expect(said(rules, [], standing({}, [own(null)], true))).toEqual(['Is no administrator any more: no group gives it.'])
  expect(said(rules, [], standing({}, [own(null), others(null)], true))).toEqual([])
  // Somebody took it by hand meanwhile.
  expect(said(rules, [], standing({}, [own(null)]))).toEqual([])
})
