import { okay, type RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import { fail } from '../../platform/http/failure.ts'
import type { Settings } from './settings.service.ts'

/** `hasType`: is there such an instance type? */
export function settingsHandlers(
  settings: Settings,
  hasType: (id: string) => Promise<boolean>,
): Handlers<RouteIdOf<'settings'>> {
  return {
    'settings.get': async ({ actor }) => settings.visibleTo(actor),
    async 'settings.update'({ actor }, { body }) {
      const type = body['user:team:trial-mode:projectType']
      if (type && !(await hasType(type)))
        throw fail('invalid_request', 'There is no such instance type', { field: 'user:team:trial-mode:projectType' })
      await settings.update(actor, body)
      return okay
    },
  }
}
