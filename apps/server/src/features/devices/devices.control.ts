import { DeviceReport } from '@app/contract'
import type { Logger } from 'pino'
import type { Bus, BusEvent } from '../../platform/events/bus.ts'
import { Failure } from '../../platform/http/failure.ts'
import type { BrokerLink, DeviceMessage } from '../comms/index.ts'
import type { Addressed, DeviceLink } from './devices.link.ts'

export interface DeviceControlDependencies {
  bus: Bus
  log: Logger
  brokerLink: BrokerLink
  deviceLink: DeviceLink
}

/** Changes that come close together are told together. */
const gatherMs = 100
/** Reports that are worked on at once: after a restart of the broker all devices report. */
const atOnce = 8

export type DeviceControl = ReturnType<typeof createDeviceControl>

/** Devices with a broker: hears their reports, and tells them what they shall run as soon as that changes. */
export function createDeviceControl({ bus, log, brokerLink, deviceLink }: DeviceControlDependencies) {
  /** The last report of each device that waits. */
  const waiting = new Map<string, DeviceMessage>()
  const changed = { devices: new Set<string>(), instances: new Set<string>() }
  const working = new Set<string>()
  let gathering: NodeJS.Timeout | undefined

  const send = ({ teamId, deviceId, command }: Addressed) =>
    brokerLink.publish(`ff/v1/${teamId}/d/${deviceId}/command`, command)

  async function take({ teamId, deviceId, body }: DeviceMessage): Promise<void> {
    // A busy agent says `null`: it is there.
    const report = body === null ? {} : DeviceReport.safeParse(body).data
    if (!report) return log.debug({ deviceId }, 'a report of a device was not understood')
    const { mismatch, update } = await deviceLink.report(deviceId, report, { teamId, isSeen: body === null })
    if (body !== null && (mismatch || report.asks || report.state === 'unknown')) send(update)
  }

  function work(): void {
    while (working.size < atOnce) {
      // One after the other of each device: the older of two at once could be the one that stays.
      const next = waiting.entries().find(([id]) => !working.has(id))
      if (!next) return
      const [id, message] = next
      waiting.delete(id)
      working.add(id)
      take(message)
        .catch((error: unknown) => {
          // A device that is gone is told nothing: an agent would remove its flows.
          if (!(error instanceof Failure)) log.warn({ err: error, deviceId: id }, 'a report of a device was lost')
        })
        .finally(() => {
          working.delete(id)
          work()
        })
    }
  }

  async function tellChanged(): Promise<void> {
    gathering = undefined
    const devices = [...changed.devices]
    const instances = [...changed.instances]
    changed.devices.clear()
    changed.instances.clear()
    for (const command of await deviceLink.commandsFor({ devices, instances })) send(command)
  }

  function hear(event: BusEvent): void {
    if (event.type !== 'comms') return
    for (const id of event.devices ?? []) changed.devices.add(id)
    if (event.instance !== undefined) changed.instances.add(event.instance)
    gathering ??= setTimeout(() => {
      // A failed command is made up for by the answer to the next report, within a minute.
      tellChanged().catch((error: unknown) => log.warn({ err: error }, 'devices were not told their targets'))
    }, gatherMs)
  }

  brokerLink.on('status', (message) => {
    // The first report is answered whatever comes after it.
    const before = waiting.get(message.deviceId)
    if (message.body === null && before) return
    waiting.set(message.deviceId, message)
    work()
  })

  let unsubscribe = () => {}
  return {
    start(isHost: boolean): void {
      if (isHost) unsubscribe = bus.subscribe(hear)
    },
    stop(): void {
      unsubscribe()
      clearTimeout(gathering)
      waiting.clear()
    },
  }
}
