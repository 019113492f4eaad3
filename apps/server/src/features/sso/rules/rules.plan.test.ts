import { limited, roles } from '@app/contract'
import { expect, test } from 'vitest'
import type { Grant, Rule, Standing } from './rules.matches.ts'
import { planFor as plan } from './rules.plan.ts'
import { sentenceOf } from './rules.sentences.ts'

const rule = (group: string, team: string | null, role: number = roles.member): Rule => ({
  group,
  teamId: team,
  teamName: team === null ? null : `Team ${team}`,
  applicationId: null,
  applicationName: null,
  role: team === null ? roles.admin : role,
})
/** A rule for the application `line` of team `a`. */
const onLine = (group: string, role: number = roles.member): Rule => ({ ...rule(group, 'a', role), ...line })
const line = { applicationId: 'line', applicationName: 'Oven line' }
/** Somebody with these roles in teams and, after the slash, in applications of team `a`. */
const standing = (of: Record<string, number> = {}, grants: Grant[] = [], admin = false): Standing => {
  const entries = Object.entries(of)
  const inTeams = entries.filter(([id]) => !id.startsWith('/'))
  const inApplications = entries.filter(([id]) => id.startsWith('/'))
  return {
    admin,
    roles: new Map(inTeams),
    teamNames: new Map(inTeams.map(([id]) => [id, `Team ${id}`])),
    applications: new Map(inApplications.map(([id, role]) => [id.slice(1), { teamId: 'a', role }])),
    grants,
  }
}
const own = (teamId: string | null, role: number = roles.member): Grant => ({
  teamId,
  teamName: teamId && `Team ${teamId}`,
  applicationId: null,
  applicationName: null,
  role,
  own: true,
})
const ownLine = (role: number = roles.member): Grant => ({ ...own('a', role), ...line })
const others = (grant: Grant): Grant => ({ ...grant, own: false })
const planFor = (rules: Rule[], groups: string[], before: Standing, applicationRoles = true) =>
  plan(rules, groups, before, { applicationRoles })
const said = (...args: Parameters<typeof planFor>) => planFor(...args).effects.map(sentenceOf)
const whole = (teamId: string | null, role: number) => ({ teamId, applicationId: null, role })
const inLine = (role: number) => ({ teamId: 'a', applicationId: 'line', role })

test('the highest role of several groups counts, and only groups that are the same letter by letter', () => {
  const rules = [rule('bakers', 'a'), rule('masters', 'a', roles.owner), rule('Bakers', 'b')]
  expect(planFor(rules, ['bakers', 'masters'], standing())).toEqual({
    effects: [{ kind: 'join', teamId: 'a', team: 'Team a', role: roles.owner, group: 'masters' }],
    grants: [whole('a', roles.owner)],
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
  expect(planFor(rules, ['bakers'], before).grants).toEqual([whole('a', roles.member)])
})

test('two providers give together: the end at one leaves what the other gives', () => {
  const both = standing({ a: roles.owner }, [own('a', roles.owner), others(own('a', roles.viewer))])
  expect(said([], [], both)).toEqual(['Becomes Viewer of “Team a”.'])
  const lower = standing({ a: roles.owner }, [others(own('a', roles.owner))])
  expect(planFor([rule('bakers', 'a')], ['bakers'], lower)).toEqual({
    effects: [],
    grants: [whole('a', roles.member)],
  })
})

test('the right of administrators is given, and taken back only where a rule gave it', () => {
  const rules = [rule('heads', null)]
  expect(planFor(rules, ['heads'], standing())).toEqual({
    effects: [{ kind: 'admin', group: 'heads' }],
    grants: [whole(null, roles.admin)],
  })
  expect(planFor(rules, ['heads'], standing({}, [], true))).toEqual({ effects: [], grants: [] })
  expect(planFor(rules, [], standing({}, [], true))).toEqual({ effects: [], grants: [] })
  expect(said(rules, [], standing({}, [own(null)], true))).toEqual(['Is no administrator any more: no group gives it.'])
  expect(said(rules, [], standing({}, [own(null), others(own(null))], true))).toEqual([])
  // Somebody took it by hand meanwhile.
  expect(said(rules, [], standing({}, [own(null)]))).toEqual([])
})

const joins = 'Joins “Team a” as Limited, by the group “fitters”.'
const leaves = 'Leaves “Team a”: no group gives a role there any more.'
const becomes = (role: string, of = ', by the group “fitters”') => `Becomes ${role} in “Oven line” of “Team a”${of}.`
const loses = (why: string) => `Loses the role in “Oven line” of “Team a”: ${why}.`

test('a rule for an application makes a limited member, and takes both back with the last group', () => {
  const rules = [onLine('fitters'), onLine('watchers', roles.viewer)]
  expect(said(rules, ['fitters', 'watchers'], standing())).toEqual([joins, becomes('Member')])
  expect(planFor(rules, ['fitters'], standing()).grants).toEqual([whole('a', limited), inLine(roles.member)])
  const inside = standing({ a: limited, '/line': roles.member }, [own('a', limited), ownLine()])
  expect(planFor(rules, ['fitters'], inside).effects).toEqual([])
  expect(said(rules, ['watchers'], inside)).toEqual([becomes('Viewer', ', by the group “watchers”')])
  // The role in the application ends with the membership.
  expect(planFor(rules, [], inside)).toEqual({
    effects: [{ kind: 'leave', teamId: 'a', team: 'Team a' }],
    grants: [],
  })
})

test('beside a role in the team, one in an application counts where it is higher', () => {
  const rules = [onLine('fitters'), rule('staff', 'a', roles.viewer), rule('bakers', 'a', roles.member)]
  expect(said(rules, ['fitters', 'staff'], standing())).toEqual([
    'Joins “Team a” as Viewer, by the group “staff”.',
    becomes('Member'),
  ])
  expect(said(rules, ['fitters', 'bakers'], standing())).toEqual([
    'Joins “Team a” as Member, by the group “bakers”.',
    'Gets no role in “Oven line” of “Team a”: the role in the team, Member, is as high.',
  ])
  // By hand as well.
  expect(said(rules, ['fitters'], standing({ a: roles.viewer }))).toEqual([becomes('Member')])
  expect(said(rules, ['fitters'], standing({ a: roles.owner }))[0]).toContain('the role in the team, Owner, is as high')
  expect(said(rules, ['fitters'], standing({ a: roles.dashboard }))).toEqual([
    'Gets no role in “Oven line” of “Team a”: Dashboard Only members have no roles in applications.',
  ])
  const inside = standing({ a: limited, '/line': roles.member }, [own('a', limited), ownLine()])
  expect(said(rules, ['fitters', 'bakers'], inside)).toEqual([
    'Becomes Member of “Team a”, by the group “bakers”.',
    loses('the role in the team is as high'),
  ])
  // The grant was kept beside the role in the team, and counts when that ends.
  const both = standing({ a: roles.member }, [own('a', roles.member), ownLine()])
  expect(said(rules, ['fitters'], both)).toEqual([
    'Becomes Limited in “Team a”, by the group “fitters”.',
    becomes('Member'),
  ])
})

test('memberships and roles in applications that were given by hand stay', () => {
  const rules = [onLine('fitters')]
  const byHand = standing({ a: limited, '/line': roles.viewer })
  expect(planFor(rules, ['fitters'], byHand)).toMatchObject({ effects: [{ kind: 'application-by-hand' }], grants: [] })
  expect(said(rules, ['fitters'], byHand)).toEqual([
    'Stays Viewer in “Oven line” of “Team a”: the role was given by hand.',
  ])
  expect(planFor(rules, [], byHand).effects).toEqual([])
  // A limited membership by hand loses the role in the application alone.
  const member = standing({ a: limited, '/line': roles.member }, [ownLine()])
  expect(said(rules, [], member)).toEqual([loses('no group gives it any more')])
  // A role by hand in another application keeps the membership that a rule gave, without its role.
  const other = standing({ a: roles.member, '/other': roles.viewer }, [own('a')])
  const held = 'Becomes Limited in “Team a”, because a role in an application there was given by hand.'
  expect([said([], [], other), planFor([], [], other).grants]).toEqual([[held], [whole('a', limited)]])
  const kept = standing({ a: limited, '/other': roles.viewer }, [own('a', limited)])
  expect(planFor([], [], kept)).toEqual({ effects: [], grants: [whole('a', limited)] })
  expect(said([rule('guests', 'a', roles.dashboard)], ['guests'], kept)).toEqual([])
  expect(said([], [], standing({ a: limited }, [own('a', limited)]))).toEqual([leaves])
})

test('several providers give roles in an application together', () => {
  const both = standing({ a: limited, '/line': roles.owner }, [
    own('a', limited),
    ownLine(roles.owner),
    others(own('a', limited)),
    others(ownLine(roles.viewer)),
  ])
  expect(said([], [], both)).toEqual([becomes('Viewer', '')])
  // The end of a role in the team brings back what another provider gives in the application.
  const covered = standing({ a: roles.member }, [own('a'), others(own('a', limited)), others(ownLine(roles.viewer))])
  expect(said([], [], covered)).toEqual(['Becomes Limited in “Team a”.', becomes('Viewer', '')])
})

test('while roles in applications are off, rules give none and change none, and say so; what they gave can end', () => {
  const rules = [onLine('fitters', roles.owner)]
  const off = ['The rule for “Oven line” of “Team a” changes nothing: roles in single applications are off.']
  expect(planFor(rules, ['fitters'], standing(), false)).toMatchObject({ grants: [] })
  expect(said(rules, ['fitters'], standing(), false)).toEqual(off)
  const inside = standing({ a: limited, '/line': roles.viewer }, [own('a', limited), ownLine(roles.viewer)])
  expect(said(rules, ['fitters'], inside, false)).toEqual(off)
  expect(planFor(rules, ['fitters'], inside, false).grants).toEqual([whole('a', limited), inLine(roles.viewer)])
  expect(said(rules, [], inside, false)).toEqual([leaves])
})

test('a deleted application ends the roles that rules gave there', () => {
  const gone = ownLine(roles.none)
  const inside = standing({ a: roles.viewer, '/line': roles.member }, [gone])
  expect(said([], [], inside)).toEqual([loses('no group gives it any more')])
  expect(said([], [], standing({ a: roles.viewer, '/line': roles.member }, [others(gone)]))).toEqual([
    loses('no group gives it any more'),
  ])
})
