import type { Scope } from '@app/contract/scopes'
import { expect, test } from 'vitest'
import { mayAct } from './action-rights.ts'

test('[INST-14] who may change the status has the menu of the page; that of a list wants device:edit beside it', () => {
  const menus = (...held: Scope[]) =>
    (['page', 'list'] as const).filter((place) => mayAct(place, (scope) => held.includes(scope)))
  expect(menus('project:change-status')).toEqual(['page'])
  expect(menus('device:edit')).toEqual([])
  expect(menus('project:change-status', 'device:edit')).toEqual(['page', 'list'])
})

test('[INST-33] the menu has Delete for who may delete, and not for whoever may change the status', () => {
  expect(mayAct('removal', (scope) => scope === 'project:delete')).toBe(true)
  expect(mayAct('removal', (scope) => scope !== 'project:delete')).toBe(false)
})
