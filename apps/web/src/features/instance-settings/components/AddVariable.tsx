import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Input } from '../../../ui/Input.tsx'
import { onEnter } from '../../../ui/on-enter.ts'
import { faultsOfVariables, newKey, type Variable } from '../variables.ts'

/** The row in which a new variable is written; it needs a name and a value [ENV-05]. */
export function AddVariable({
  variables,
  onAdd,
}: {
  variables: readonly Variable[]
  onAdd: (variable: Variable) => void
}) {
  const [name, setName] = useState('')
  const [value, setValue] = useState('')
  const [secret, setSecret] = useState(false)
  const fault = name === '' ? undefined : faultsOfVariables([...variables, { key: 'new', name, value }]).new
  const ready = name !== '' && value !== '' && !fault
  const add = () => {
    if (!ready) return
    onAdd({ key: newKey(), name, value, ...(secret ? { encrypted: true as const } : {}) })
    setName('')
    setValue('')
    setSecret(false)
  }
  return (
    <div className="grid gap-x-3 gap-y-3 border-t p-4 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto]">
      <FormRow label="New name" error={fault}>
        <Input
          className="mono"
          value={name}
          onChange={(event) => setName(event.target.value)}
          onKeyDown={onEnter(add)}
          spellCheck={false}
          autoCapitalize="none"
          autoComplete="off"
        />
      </FormRow>
      <FormRow label="New value">
        <Input
          className="mono"
          type={secret ? 'password' : 'text'}
          value={value}
          onChange={(event) => setValue(event.target.value)}
          onKeyDown={onEnter(add)}
          spellCheck={false}
          autoComplete="off"
        />
      </FormRow>
      <div className="sm:pt-6.5">
        <Button disabled={!ready} onClick={add} icon={<Plus size={16} aria-hidden />}>
          Add
        </Button>
      </div>
      <div className="sm:col-span-3">
        <Checkbox
          checked={secret}
          onChange={setSecret}
          label="Secret"
          help="Write-only: flows can read it, people can't."
        />
      </div>
    </div>
  )
}
