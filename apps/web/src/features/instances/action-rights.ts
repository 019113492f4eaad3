import type { Scope } from '@app/contract/scopes'

/**
 * Where Start, Restart and Suspend are offered to whom [INST-14]; the server asks for project:change-status alone.
 * `removal`: Delete, in the menu of the page [INST-33].
 */
const actionRights = {
  page: ['project:change-status'],
  list: ['project:change-status', 'device:edit'],
  removal: ['project:delete'],
} as const satisfies Record<string, readonly Scope[]>

/** Has who may `can` the actions of this menu? */
export const mayAct = (menu: keyof typeof actionRights, can: (scope: Scope) => boolean): boolean =>
  actionRights[menu].every((scope) => can(scope))
