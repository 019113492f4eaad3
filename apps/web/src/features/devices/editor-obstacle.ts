import { answersOnDevice, type Device } from '@app/contract'

type Shown = Pick<Device, 'mode' | 'status' | 'editor' | 'hasDeveloperMode'>

/** Why the editor of a device cannot be opened; undefined when it can [DMODE-03]. */
export function editorObstacle(
  { mode, status, editor, hasDeveloperMode }: Shown,
  { isOffered, isVisiting, mayEdit }: { isOffered: boolean; isVisiting: boolean; mayEdit: boolean },
): string | undefined {
  if (!isOffered) return 'The editors of devices are switched off on this platform'
  if (isVisiting) return 'Unable to open editor when visiting as an admin'
  if (!mayEdit) return 'Members of the team open the editor'
  if (!hasDeveloperMode) return 'The agent of the device has no editor access'
  if (mode !== 'developer') return 'The editor opens in developer mode'
  if (!answersOnDevice(status)) return 'The device must be in "running" state to access the editor'
  if (!editor.enabled) return 'Editor access is disabled'
  if (editor.url === undefined) return 'The device is not connected'
  return undefined
}
