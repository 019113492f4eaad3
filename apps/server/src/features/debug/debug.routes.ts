import type { RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import { createDebug } from './debug.service.ts'
import type { Database } from '../../platform/db/database.ts'

export function debugHandlers(database: Database): Handlers<RouteIdOf<'debug'>> {
  const debug = createDebug(database)
  return { 'debug.migrations': () => debug.migrations(), 'debug.schema': () => debug.schema() }
}
