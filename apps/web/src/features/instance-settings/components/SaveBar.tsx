import { Button } from '../../../ui/Button.tsx'

/**
 * The buttons Save and Discard of a form of settings, and why it cannot be saved: the field at fault may be out of
 * sight. `form`: its id, where they do not stand inside.
 */
export function SaveBar(props: {
  savable: boolean
  dirty: boolean
  saving: boolean
  onReset: () => void
  form?: string
}) {
  const { savable, dirty, saving, onReset, form } = props
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button type="submit" form={form} variant="primary" disabled={!savable} loading={saving}>
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
