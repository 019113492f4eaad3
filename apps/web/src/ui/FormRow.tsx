import { type ReactNode, useId } from 'react'
import { FieldContext } from './field-context.ts'

/**
 * Label above, control, help under, error beside the field and announced. The control inside ties itself to it.
 * With `uneditable` the value is shown as text instead ('No Value' when empty).
 */
export function FormRow({
  label,
  help,
  error,
  disabled = false,
  group = false,
  uneditable,
  children,
}: {
  label: ReactNode
  help?: ReactNode
  error?: string | undefined
  disabled?: boolean
  /** The control is several (radios, checkboxes) and takes the label as the name of the group. */
  group?: boolean
  uneditable?: { value: ReactNode }
  children?: ReactNode
}) {
  const id = useId()
  const [labelId, helpId, errorId] = [`${id}-label`, `${id}-help`, `${id}-error`]
  const describedBy = [error && errorId, help && helpId].filter(Boolean).join(' ') || undefined
  const Label = group || uneditable ? 'span' : 'label'
  return (
    <div>
      <Label id={labelId} {...(Label === 'label' ? { htmlFor: id } : {})} className="mb-1.5 block font-medium">
        {label}
      </Label>
      {uneditable ? (
        <div aria-labelledby={labelId} role="group" className="min-h-5 break-words">
          {isEmpty(uneditable.value) ? <span className="text-muted">No Value</span> : uneditable.value}
        </div>
      ) : (
        <FieldContext value={{ id, labelId, describedBy, invalid: error !== undefined, disabled }}>
          {children}
        </FieldContext>
      )}
      <div aria-live="polite" id={errorId}>
        {error && <p className="mt-1.5 text-sm break-words text-bad-text">{error}</p>}
      </div>
      {help && (
        <div id={helpId} className="mt-1.5 text-sm text-muted">
          {help}
        </div>
      )}
    </div>
  )
}

const isEmpty = (value: ReactNode) => value === undefined || value === null || value === ''
