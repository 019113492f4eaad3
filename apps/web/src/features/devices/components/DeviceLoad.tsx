import type { Device, DeviceWindow } from '@app/contract'
import { deviceWindows } from '@app/contract/constants'
import { useQueryText } from '../../../lib/use-query-state.ts'
import { Segmented } from '../../../ui/Segmented.tsx'
import { Charts } from '../../metrics/index.ts'
import { useDeviceMetrics } from '../devices.queries.ts'

const windows = [
  { value: '1h', label: '1 h' },
  { value: '6h', label: '6 h' },
  { value: '24h', label: '24 h' },
]

/** CPU, memory and event loop of a device's Node-RED; empty where its agent has reported none in the last day. */
export function DeviceLoad({ device: { id } }: { device: Device }) {
  const [text, setText] = useQueryText('window')
  const window: DeviceWindow = text in deviceWindows ? (text as DeviceWindow) : '1h'
  const { data } = useDeviceMetrics(id, window)
  if (!data?.measured) return null
  return (
    <section aria-label="Load" className="flex flex-col gap-4 lg:col-span-2">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h2 className="text-lg">Load</h2>
        <Segmented label="Time" value={window} options={windows} onChange={setText} />
      </div>
      <Charts metrics={data} />
    </section>
  )
}
