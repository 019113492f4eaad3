import { okay, type RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import type { Settings } from './settings.service.ts'

export function settingsHandlers(settings: Settings): Handlers<RouteIdOf<'settings'>> {
  return {
    'settings.get': async ({ actor }) => settings.visibleTo(actor),
    async 'settings.update'({ actor }, { body }) {
      await settings.update(actor, body)
      return okay
    },
  }
}
