import { fail, type Failure } from '../../platform/http/failure.ts'
import type { InstanceRow } from './instances.store.ts'

const retryAfter = 5

/** Another operation has to end first; clients may ask again in a few seconds. */
export const busy = ({ in_flight }: Pick<InstanceRow, 'in_flight'> = { in_flight: null }): Failure =>
  fail('invalid_state', in_flight === null ? undefined : `Another operation is under way: ${in_flight}`, { retryAfter })
