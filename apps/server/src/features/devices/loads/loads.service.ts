import { type DeviceLoad, deviceWindows, type DeviceMetrics, type DeviceWindow } from '@app/contract'
import type { Logger } from 'pino'
import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/db/database.ts'
import { hourSeconds, type LoadPoint, pointsOf, seriesOf, textOf } from './loads.points.ts'
import { appendLoads, readLoads } from './loads.store.ts'

export interface DeviceLoadsDependencies {
  database: Database
  clock: Clock
  log: Logger
}

/** Points of all devices are written together: a kill of the server costs no more. */
const writeMs = 15_000

export type DeviceLoads = ReturnType<typeof createDeviceLoads>

/** The load of devices over the last day, as their agents report it. */
export function createDeviceLoads({ database, clock, log }: DeviceLoadsDependencies) {
  /** One point for each device, however often it reports. */
  let waiting = new Map<string, LoadPoint>()
  let timer: NodeJS.Timeout | undefined

  async function write(): Promise<void> {
    const points = [...waiting]
    waiting = new Map()
    if (points.length === 0) return
    const rows = points.map(([id, point]) => ({
      device_id: id,
      hour: Math.floor(point.at / hourSeconds),
      points: textOf([point]),
    }))
    await appendLoads(database.read, rows).catch((error: unknown) => log.warn({ err: error }, 'loads not written'))
  }

  return {
    add(deviceId: string, load: DeviceLoad): void {
      waiting.set(deviceId, { ...load, at: Math.floor(clock.now() / 1_000) })
    },
    /** A device's series in a window that ends now, with a value or null for each step. */
    async metrics(deviceId: string, window: DeviceWindow): Promise<DeviceMetrics> {
      const { seconds, step } = deviceWindows[window]
      const now = Math.floor(clock.now() / 1_000)
      const from = (Math.floor(now / step) + 1) * step - seconds
      const dayAgo = now - deviceWindows['24h'].seconds
      const rows = await readLoads(database.read, deviceId, Math.floor(dayAgo / hourSeconds))
      const fresh = waiting.get(deviceId)
      const points = [...rows.flatMap(({ hour, points: text }) => pointsOf(hour, text)), ...(fresh ? [fresh] : [])]
      return {
        from: from * 1_000,
        step,
        series: seriesOf(points, from, step, seconds / step),
        measured: points.some(
          ({ at, ...load }) => at >= dayAgo && Object.values(load).some((one) => one !== undefined),
        ),
      }
    },
    write,
    start(): void {
      timer = setInterval(() => void write(), writeMs)
    },
    async stop(): Promise<void> {
      clearInterval(timer)
      await write()
    },
  }
}
