import type { RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import type { Licences } from './licence.service.ts'

export function licenceHandlers(licences: Licences): Handlers<RouteIdOf<'licence'>> {
  return {
    'licence.get': async () => (await licences.get()) ?? {},
    'licence.update': async ({ actor }, { body }) => licences.update(actor, body.license, body.action),
    'licence.updateByPost': async ({ actor }, { body }) => licences.update(actor, body.license, body.action),
  }
}
