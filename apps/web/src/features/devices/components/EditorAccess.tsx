import type { Device } from '@app/contract'
import { SquarePen } from 'lucide-react'
import { useCan } from '../../../lib/can.ts'
import { Button, ButtonAnchor } from '../../../ui/Button.tsx'
import { useSettings } from '../../account/index.ts'
import { useSetEditor } from '../developer.actions.ts'

/** Is there an editor to reach on devices, for this person? */
export function useHasEditor(): boolean {
  const features = useSettings()?.features
  return useCan('device:editor') && features?.['deviceEditor'] === true && features['projectComms'] === true
}

/** The link to the editor of a device, for members; disabled while it is not open. */
export function EditorLink({ device }: { device: Device }) {
  if (!useHasEditor()) return null
  const isOpen = device.editor?.url !== undefined
  return (
    <ButtonAnchor icon={<SquarePen size={16} aria-hidden />} href={isOpen ? `/device/${device.id}/editor` : undefined}>
      {isOpen ? 'Device Editor' : 'Editor Disabled'}
    </ButtonAnchor>
  )
}

/** Opens the editor of a device, and closes it. */
export function EditorSwitch({ device }: { device: Device }) {
  const { mutate: setEditor, isPending } = useSetEditor(device)
  if (!useHasEditor()) return null
  const isOn = device.editor?.enabled === true
  return (
    <Button loading={isPending} disabled={!isOn && device.status !== 'running'} onClick={() => setEditor(!isOn)}>
      {isOn ? 'Disable Editor Access' : 'Enable Editor Access'}
    </Button>
  )
}
