import { Button } from '../../../ui/Button.tsx'

/** Save and Discard under a form of settings. */
export function SaveBar(props: {
  savable: boolean
  dirty: boolean
  saving: boolean
  onReset: () => void
  onSave: () => void
}) {
  const { savable, dirty, saving, onReset, onSave } = props
  return (
    <div className="flex flex-wrap gap-3">
      <Button variant="primary" disabled={!savable} loading={saving} onClick={onSave}>
        Save settings
      </Button>
      <Button variant="ghost" disabled={!dirty || saving} onClick={onReset}>
        Discard changes
      </Button>
    </div>
  )
}
