import type { RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import type { Administration } from './admin.service.ts'

export function adminHandlers(administration: Administration): Handlers<RouteIdOf<'admin'>> {
  return { 'admin.stats': async () => administration.stats() }
}
