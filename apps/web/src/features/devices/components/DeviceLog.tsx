import { addressOf } from '@app/client'
import { routeMap } from '@app/client/routes'
import type { Device } from '@app/contract'
import { useQueryClient } from '@tanstack/react-query'
import { CirclePause } from 'lucide-react'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { keys } from '../../../lib/api-keys.ts'
import { download } from '../../../lib/download.ts'
import { useLogFilter } from '../../../lib/use-log-filter.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { filterLevel, findMatches, toText } from '../../../ui/log-lines.ts'
import { type DownloadFormat, type LogLine, LogView } from '../../../ui/LogView.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { useSettings } from '../../account/index.ts'
import { type DeviceLogState, followDeviceLog } from '../device-log.ts'

/** The log of a device, live: what its agent kept first, then each line as it is written [DEV-37, DEV-38]. */
export function DeviceLog({ device }: { device: Device }) {
  if (useSettings()?.features['projectComms'] === false)
    return <Unavailable>This platform runs without a broker, which carries the logs of devices.</Unavailable>
  if (device.status === 'stopped')
    return <Unavailable>The device runs no flows. Assign it to an instance that has a target snapshot.</Unavailable>
  return <Tail key={device.id} device={device} />
}

function Unavailable({ children }: { children: ReactNode }) {
  return (
    <EmptyState icon={<CirclePause />} title="Logs unavailable">
      {children}
    </EmptyState>
  )
}

function Tail({ device }: { device: Device }) {
  const isOffline = device.status === 'offline'
  const { lines, state } = useDeviceLog(device.id, !isOffline)
  const [filter, setFilter] = useLogFilter()
  const { search, only, level } = filter
  const shown = useMemo(
    () => (only && search !== '' ? findMatches(lines, search).map((n) => lines[n]!) : lines),
    [lines, only, search],
  )
  const note = isOffline ? <Offline device={device} /> : noteOf(state, lines.length > 0)
  return (
    <div className="flex min-h-80 flex-1 flex-col gap-3">
      {note && <Banner kind="warning">{note}</Banner>}
      <LogView
        lines={shown}
        filter={filter}
        onFilter={setFilter}
        onDownload={(format, isWhole) => save(device.name, format, isWhole ? lines : filterLevel(shown, level))}
        loading={!note && state === 'opening' && lines.length === 0}
        empty={note ? 'No lines.' : undefined}
      />
    </div>
  )
}

const nothing: DeviceLogState = { lines: [], state: 'opening' }

/** The lines stay while the device is away. */
function useDeviceLog(deviceId: string, isOn: boolean): DeviceLogState {
  const client = useQueryClient()
  const [state, setState] = useState(nothing)
  useEffect(() => {
    if (!isOn) return
    const path = addressOf(routeMap['deviceLog.stream'][1], { deviceId })
    return followDeviceLog({
      open: () => new WebSocket(new URL(path, location.href.replace(/^http/, 'ws'))),
      onState(next) {
        setState(next)
        // The session ended, or the device went: asking shows which.
        if (next.state === 'refused') void client.invalidateQueries({ queryKey: keys.user })
        if (next.state === 'refused' || next.state === 'unconnected')
          void client.invalidateQueries({ queryKey: keys.device(deviceId) })
      },
    })
  }, [client, deviceId, isOn])
  return state
}

function Offline({ device: { lastSeenAt } }: { device: Device }) {
  if (lastSeenAt === null) return <>The agent of this device has not called yet. Its log appears here once it does.</>
  return (
    <>
      This device is offline. It was last heard of <RelativeTime time={lastSeenAt} />, and its log goes on here once it
      is back.
    </>
  )
}

function noteOf(state: DeviceLogState['state'], hasLines: boolean): string | undefined {
  if (state === 'silent')
    return 'The agent is connected to the broker but does not send its log. Restart the agent if this goes on.'
  if (state === 'unconnected')
    return hasLines
      ? 'The agent lost its connection to the broker. Its log goes on here once it is back.'
      : 'The agent calls over HTTP only, so it cannot send its log. If its file names no broker, Regenerate Credentials gives it one.'
  if (state === 'unavailable') return 'The platform has no connection to its broker now. It is tried again.'
  if (state === 'refused') return 'You cannot see this log any more.'
  if (state === 'lost') return 'The connection to the platform was lost. It is opened again.'
  return undefined
}

function save(name: string, format: DownloadFormat, lines: LogLine[]): void {
  const text = format === 'text' ? toText(lines) : lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  download(`${name}.${format === 'text' ? 'log' : 'ndjson'}`, 'text/plain', text)
}
