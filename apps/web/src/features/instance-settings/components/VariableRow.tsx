import { Lock, Trash2, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from '../../../lib/cn.ts'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Input } from '../../../ui/Input.tsx'
import { isFixed, type Variable } from '../variables.ts'
import { Mark } from './Mark.tsx'

/** One variable: name, value, and what can be done with it [ENV-15]. */
export function VariableRow(props: {
  variable: Variable
  error: string | undefined
  readOnly: boolean
  onChange: (change: Partial<Variable>) => void
  onRemove: () => void
  /** One more control at the end. */
  end?: ReactNode
}) {
  const { variable, error, readOnly, onChange, onRemove, end } = props
  const { name, value, encrypted, kept, deprecated } = variable
  const fixed = readOnly || isFixed(variable)
  const ink = deprecated ? 'italic text-warn-text' : ''
  return (
    <div
      role="row"
      className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-2 gap-y-1.5 border-b px-4 py-2 last:border-0 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_minmax(36px,auto)]"
    >
      <div role="cell">
        {fixed || encrypted ? (
          <span className={cn('mono flex min-h-8 items-center break-all', ink)}>{name}</span>
        ) : (
          <Input
            aria-label="Name"
            aria-invalid={error !== undefined}
            className="mono"
            value={name}
            onChange={(event) => onChange({ name: event.target.value })}
            spellCheck={false}
            autoCapitalize="none"
          />
        )}
        {error && (
          <p role="alert" className="mt-1 text-sm text-bad-text">
            {error}
          </p>
        )}
      </div>
      <div role="cell" className="max-sm:col-span-2 max-sm:row-start-2">
        {encrypted && kept ? (
          <span className="flex min-h-8 items-center gap-1.5 text-muted">
            <Lock size={14} aria-hidden /> encrypted
          </span>
        ) : fixed ? (
          <span className={cn('mono flex min-h-8 items-center break-all', ink)}>{value}</span>
        ) : (
          <Input
            aria-label={`Value of ${name || 'the new variable'}`}
            className="mono"
            type={encrypted ? 'password' : 'text'}
            value={value}
            onChange={(event) => onChange({ value: event.target.value })}
            spellCheck={false}
            autoComplete="off"
          />
        )}
      </div>
      <div role="cell" className="flex min-h-8 items-center justify-end">
        <End variable={variable} readOnly={readOnly} onRemove={onRemove} />
        {end}
      </div>
    </div>
  )
}

function End({ variable, readOnly, onRemove }: { variable: Variable; readOnly: boolean; onRemove: () => void }) {
  const { name, platform, policy, deprecated } = variable
  if (deprecated)
    return (
      <span className="inline-flex items-center gap-1.5 text-sm text-warn-text">
        Deprecated
        <Mark text="Deprecated variable" icon={<TriangleAlert size={16} aria-hidden className="text-warn-text" />} />
      </span>
    )
  if (platform) return <Mark text="Set by the platform" icon={<Lock size={16} aria-hidden />} />
  if (policy === false) return <Mark text="Decided by the template" icon={<Lock size={16} aria-hidden />} />
  // A variable of the template can get another value, but not be removed.
  if (readOnly || policy !== undefined) return null
  return (
    <IconButton label={`Remove ${name || 'variable'}`} onClick={onRemove}>
      <Trash2 size={16} aria-hidden />
    </IconButton>
  )
}
