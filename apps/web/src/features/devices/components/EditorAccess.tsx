import { answersOnDevice, type Device } from '@app/contract'
import { SquarePen } from 'lucide-react'
import { useCan } from '../../../lib/can.ts'
import { Button, ButtonAnchor } from '../../../ui/Button.tsx'
import { Tooltip } from '../../../ui/Tooltip.tsx'
import { useSettings } from '../../account/index.ts'
import { useVisiting } from '../../teams/index.ts'
import { useSetEditor } from '../developer.actions.ts'
import { editorObstacle } from '../editor-obstacle.ts'

/** Are there editors of devices on this platform? They need the broker. */
export function useHasEditors(): boolean {
  const features = useSettings()?.features
  return features?.['deviceEditor'] === true && features['projectComms'] === true
}

/** Opens the editor of a device in a window of its own; says why where it cannot be opened. */
export function EditorLink({ device }: { device: Device }) {
  const standing = { isOffered: useHasEditors(), isVisiting: useVisiting(), mayEdit: useCan('device:editor') }
  const obstacle = editorObstacle(device, standing)
  const icon = <SquarePen size={16} aria-hidden />
  if (!obstacle)
    return (
      <ButtonAnchor icon={icon} href={`/device/${device.id}/editor`}>
        Device Editor
      </ButtonAnchor>
    )
  return (
    <Tooltip content={obstacle}>
      <Button icon={icon} aria-disabled className="pointer-events-auto! cursor-not-allowed">
        Editor Disabled
      </Button>
    </Tooltip>
  )
}

/** Enables access to the editor of a device, and disables it. */
export function EditorSwitch({ device }: { device: Device }) {
  const { mutate: setEditor, isPending } = useSetEditor(device)
  const mayEdit = useCan('device:editor')
  const isVisiting = useVisiting()
  const { enabled, connected } = device.editor
  // Visiting administrators may close what others have opened.
  if (!useHasEditors() || !mayEdit || (isVisiting && !enabled)) return null
  const answers = answersOnDevice(device.status)
  return (
    <>
      {enabled && !connected && !isVisiting && (
        <Button loading={isPending} disabled={!answers} onClick={() => setEditor(true)}>
          Connect Again
        </Button>
      )}
      <Button loading={isPending} disabled={!enabled && !answers} onClick={() => setEditor(!enabled)}>
        {enabled ? 'Disable Editor Access' : 'Enable Editor Access'}
      </Button>
    </>
  )
}

/** The tunnel to the editor of a device, in words. */
export const tunnelState = ({ enabled, connected }: Device['editor']): string =>
  enabled ? (connected ? 'Enabled, connected' : 'Enabled, the device is not connected') : 'Disabled'
