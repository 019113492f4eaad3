import { limited, roles } from '@app/contract/roles'
import { switches } from '@app/contract/switches'
import { expect, test } from 'vitest'
import { navigationOf } from './navigation.tsx'

const team = { id: 't', name: 'Example Bakery', slug: 'bakery', avatar: '' }
/** Every part of the product, so that a new entry behind a switch has to be written down here too. */
const everything = Object.fromEntries(Object.keys(switches).map((name) => [name, true]))
const items = (role: number, features: Record<string, boolean>) =>
  navigationOf(
    { team, role, pending: false, visiting: undefined, application: undefined, area: undefined },
    0,
    features,
  ).flatMap((section) => section.items)

test('[TEAM-20] without the shared library its entry carries the mark of what is unavailable', () => {
  const library = (features: Record<string, boolean>) =>
    items(roles.owner, features).find((it) => it.label === 'Library')
  expect(library({ 'shared-library': false })).toMatchObject({ to: '/team/bakery/library', unavailable: true })
  expect(library({ 'shared-library': true })).toMatchObject({ unavailable: false })
  expect(items(roles.owner, { 'shared-library': false }).filter(({ unavailable }) => unavailable)).toHaveLength(1)
})

test('[TEAM-19] [TEAM-21] [TEAM-24] everybody from a viewer on has the pages of the team, who may edit it also its administration', () => {
  const pages = ['Applications', 'Instances', 'Devices', 'Library', 'Performance', 'Members']
  const labels = (role: number) => items(role, everything).map(({ label }) => label)
  expect(labels(roles.dashboard)).toEqual([])
  for (const role of [roles.viewer, roles.member]) expect(labels(role)).toEqual(pages)
  for (const role of [roles.owner, roles.admin])
    expect(labels(role)).toEqual([...pages, 'Audit Log', 'Billing', 'Team Settings'])
})

test('a limited member has the pages of their applications alone', () => {
  const application = { id: 'a', name: 'Oven line' }
  const labels = (role: number) =>
    navigationOf({ team, role, pending: false, visiting: undefined, application, area: undefined }, 0, everything).map(
      ({ items: all }) => all.map(({ label }) => label),
    )
  const ofApplication = ['Node-RED Instances', 'DevOps Pipelines', 'Node-RED Logs', 'Audit Log', 'Settings']
  expect(labels(limited)).toEqual([['Applications', 'Instances', 'Devices', 'Performance'], ofApplication])
  expect(labels(roles.viewer)[1]).toEqual([...ofApplication.slice(0, 4), 'Members', 'Settings'])
})

test('with devices switched off the menu has none', () => {
  const labels = (features: Record<string, boolean>) => items(roles.viewer, features).map(({ label }) => label)
  expect(labels({ devices: true })).toContain('Devices')
  expect(labels({ devices: false })).not.toContain('Devices')
})

test('[TEAM-22] the entry of billing is there for who may edit the team, with billing alone', () => {
  const labels = (role: number, features: Record<string, boolean>) => items(role, features).map(({ label }) => label)
  expect(labels(roles.owner, { billing: true }).slice(-3)).toEqual(['Audit Log', 'Billing', 'Team Settings'])
  expect(labels(roles.member, { billing: true })).not.toContain('Billing')
  expect(labels(roles.owner, { billing: false })).not.toContain('Billing')
  expect(labels(roles.owner, {})).not.toContain('Billing')
})

test('the menu marks the list that an instance or a device belongs to', () => {
  const current = (thing: 'instance' | 'device' | undefined) =>
    navigationOf(
      { team, role: roles.viewer, pending: false, visiting: undefined, application: undefined, thing, area: undefined },
      0,
      { devices: true },
    )
      .flatMap((section) => section.items)
      .flatMap(({ label, current: marked }) => (marked ? [label] : []))
  expect(current('instance')).toEqual(['Instances'])
  expect(current('device')).toEqual(['Devices'])
  expect(current(undefined)).toEqual([])
})
