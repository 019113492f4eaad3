import type { InstanceState, InstanceSummary } from '@app/contract'

export type Editable = Partial<Pick<InstanceState, 'meta'>> &
  Pick<InstanceSummary, 'ha'> & { settings?: { disableEditor?: boolean | undefined } | undefined }

/** Why the editor of an instance cannot be opened; undefined when it can [APP-04]. */
export function editorObstacle(
  { meta, settings, ha }: Editable,
  { visiting, changing }: { visiting: boolean; changing: boolean },
): string | undefined {
  if (visiting) return 'Unable to open editor when visiting as an admin'
  if (ha) return 'The editor is disabled in High Availability mode'
  if (settings?.disableEditor) return 'The editor of this instance is disabled'
  // Opening the editor of one that sleeps wakes it.
  if (meta?.sleeping && !changing) return undefined
  if (changing || (meta?.state !== 'running' && meta?.state !== 'safe'))
    return 'The editor opens while the instance is running'
  return undefined
}
