import type { DeviceReport, DeviceTrouble } from '@app/contract'
import * as z from 'zod/mini'
import { iso } from '../../platform/clock.ts'
import { jsonColumn } from '../../platform/db/json.ts'
import type { DeviceRow } from './devices.store.ts'

const Stored = z.object({
  reason: z.string(),
  restart: z.optional(z.object({ crashes: z.number(), at: z.number(), safe: z.boolean() })),
})
const readTrouble = jsonColumn('devices.trouble', Stored)

/** The column for a report: why the flows do not run. */
export function troubleOf({ trouble }: DeviceReport, now: number): string | null {
  if (!trouble) return null
  const { reason, restart } = trouble
  if (!restart) return JSON.stringify({ reason })
  const { crashes, afterMs, safe } = restart
  return JSON.stringify({ reason, restart: { crashes, at: now + afterMs, safe } })
}

export function troubleView({ id, trouble }: Pick<DeviceRow, 'id' | 'trouble'>): DeviceTrouble | null {
  if (trouble === null) return null
  const { reason, restart } = readTrouble(trouble, id)
  return { reason, ...(restart && { restart: { ...restart, at: iso(restart.at) } }) }
}
