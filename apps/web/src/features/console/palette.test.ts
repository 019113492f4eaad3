import { roles } from '@app/contract/roles'
import { expect, test } from 'vitest'
import { type PaletteFacts, paletteGroups } from './palette.ts'

const instance = (id: string, name: string, state: string) => ({
  id,
  name,
  url: `http://${name}.localhost`,
  createdAt: '',
  updatedAt: '',
  links: { self: '' },
  meta: { state, isDeploying: false },
})
const facts: PaletteFacts = {
  teams: [{ id: 't1', name: 'Example Bakery', slug: 'bakery' }],
  applications: [
    { id: 'a1', name: 'Oven line', instances: [instance('i1', 'oven-prod', 'running')] },
    { id: 'a2', name: 'Cold store', instances: [instance('i2', 'cold-store', 'suspended')] },
  ],
  location: {
    team: { id: 't1', name: 'Example Bakery', slug: 'bakery', avatar: '' },
    role: roles.owner,
    visiting: undefined,
  },
  mayCreateTeams: false,
  locationPages: [
    { label: 'Devices', to: '/team/bakery/devices', note: 'Example Bakery' },
    { label: 'Library', to: '/team/bakery/library', note: 'Example Bakery' },
    { label: 'Members', to: '/team/bakery/members', note: 'Example Bakery' },
    { label: 'DevOps Pipelines', to: '/application/a1/pipelines', note: 'Oven line' },
  ],
  adminPages: [{ label: 'Stacks', to: '/admin/stacks' }],
  accountPages: [{ label: 'Sessions', to: '/account/security/sessions' }],
}
const labels = (query: string, change: Partial<PaletteFacts['location']> = {}) =>
  paletteGroups({ ...facts, location: { ...facts.location, ...change } }, query).flatMap(({ entries }) =>
    entries.map(({ label }) => label),
  )

test('every word of the query must be found, in the name or in what it belongs to', () => {
  expect(labels('oven line')).toEqual(['oven-prod', 'Oven line', 'DevOps Pipelines'])
  expect(labels('nothing like it')).toEqual([])
})

test('actions fit the state of the instance', () => {
  expect(labels('prod')).toEqual([
    'oven-prod',
    'Open editor of oven-prod',
    'Logs of oven-prod',
    'Move oven-prod',
    'Restart oven-prod',
    'Suspend oven-prod',
  ])
  expect(labels('cold-store')).toEqual(['cold-store', 'Logs of cold-store', 'Move cold-store', 'Start cold-store'])
})

test('actions fit the role: a viewer runs nothing, a visiting administrator opens no editor', () => {
  expect(labels('prod', { role: roles.viewer })).toEqual(['oven-prod', 'Open editor of oven-prod', 'Logs of oven-prod'])
  expect(labels('prod', { role: roles.admin, visiting: 'team' })).not.toContain('Open editor of oven-prod')
  expect(labels('', { role: roles.viewer })).not.toContain('Create Instance')
  expect(labels('')).toContain('Create Instance')
})

test('devices and people are added from anywhere, by who may, and devices only where the platform has them', () => {
  expect(labels('invite')).toEqual(['Invite Member'])
  expect(labels('add device')).toEqual(['Add Device'])
  expect(labels('invite', { role: roles.member })).toEqual([])
  expect(labels('add device', { role: roles.member })).toEqual([])
  const locationPages = facts.locationPages.filter(({ label }) => label !== 'Devices')
  expect(paletteGroups({ ...facts, locationPages }, 'add device')).toEqual([])
})

test('the pages of the account, of the location one is in and of administrators are reached by name', () => {
  expect(labels('sess')).toEqual(['Sessions'])
  expect(labels('libr')).toEqual(['Library'])
  expect(labels('pipe')).toEqual(['DevOps Pipelines'])
  expect(labels('stack')).toEqual(['Stacks'])
})
