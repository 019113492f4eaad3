import { Button } from '../../../ui/Button.tsx'

/** Save and Discard under a form of settings, and why it cannot be saved: the field at fault may be out of sight. */
export function SaveBar(props: {
  savable: boolean
  dirty: boolean
  saving: boolean
  onReset: () => void
  onSave: () => void
}) {
  const { savable, dirty, saving, onReset, onSave } = props
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button variant="primary" disabled={!savable} loading={saving} onClick={onSave}>
        Save settings
      </Button>
      <Button variant="ghost" disabled={!dirty || saving} onClick={onReset}>
        Discard changes
      </Button>
      <span aria-live="polite" className="text-sm text-muted">
        {dirty && !savable && 'Correct the marked fields to save.'}
      </span>
    </div>
  )
}
