import type { Instance } from '@app/contract'
import { useVisiting } from '../teams/index.ts'
import { useChange } from './changes.ts'
import { type Editable, editorObstacle } from './editor-obstacle.ts'

/** The address of the editor, where it can be opened now. Undefined: no instance, or it is not loaded yet. */
export function useEditorAddress(
  instance: (Editable & Pick<Instance, 'id'> & Partial<Pick<Instance, 'url'>>) | undefined,
) {
  const visiting = useVisiting()
  const change = useChange(instance?.id ?? '')
  if (!instance || editorObstacle(instance, { visiting, changing: change !== undefined })) return undefined
  return instance.url
}
