import type { PaletteModule } from '@app/contract'
import { Plus, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Input } from '../../../ui/Input.tsx'
import { onEnter } from '../../../ui/on-enter.ts'
import { addFault, listFaults } from '../modules.ts'

/** The modules of a palette: a list of name and version [PAL-03]. */
export function ModulesEditor(props: {
  modules: PaletteModule[]
  readOnly: boolean
  onChange: (modules: PaletteModule[]) => void
  /** One more control beside the heading. */
  end?: ReactNode
}) {
  const { modules, readOnly, onChange, end } = props
  const faults = listFaults(modules)
  const change = (index: number, part: Partial<PaletteModule>) =>
    onChange(modules.map((module, at) => (at === index ? { ...module, ...part } : module)))
  return (
    <Card title="Installed Modules" note={modules.length} end={end}>
      {modules.length === 0 && (
        <p className="px-4 py-3 text-muted">None yet. Modules are installed with the next start.</p>
      )}
      <ul>
        {modules.map((module, index) => (
          <li
            // Names change while they are written, so the place is what stays the same.
            // oxlint-disable-next-line react/no-array-index-key
            key={index}
            className="grid grid-cols-[minmax(0,3fr)_minmax(0,1fr)_auto] items-start gap-2 border-b px-4 py-2 last:border-0"
          >
            <FormRow label={<span className="sr-only">Name</span>} error={faults[index]?.name} disabled={readOnly}>
              <Input
                className="mono"
                value={module.name}
                onChange={(event) => change(index, { name: event.target.value })}
                spellCheck={false}
              />
            </FormRow>
            <FormRow
              label={<span className="sr-only">Version of {module.name}</span>}
              error={faults[index]?.version}
              disabled={readOnly}
            >
              <Input
                className="mono"
                value={module.version}
                onChange={(event) => change(index, { version: event.target.value })}
                spellCheck={false}
              />
            </FormRow>
            <span className="flex min-h-8 items-center gap-2 pt-1.5">
              {module.local && <Badge>{module.functions ? 'used by functions' : 'installed in the editor'}</Badge>}
              {!readOnly && (
                <IconButton
                  label={`Remove ${module.name}`}
                  onClick={() => onChange(modules.filter((_, at) => at !== index))}
                >
                  <Trash2 size={16} aria-hidden />
                </IconButton>
              )}
            </span>
            {module.refused && (
              <p className="col-span-full text-warn-text text-sm">Already installed, so it stays. {module.refused}.</p>
            )}
          </li>
        ))}
      </ul>
      {!readOnly && <AddModule modules={modules} onAdd={(module) => onChange([...modules, module])} />}
    </Card>
  )
}

function AddModule({ modules, onAdd }: { modules: PaletteModule[]; onAdd: (module: PaletteModule) => void }) {
  const [name, setName] = useState('')
  const [version, setVersion] = useState('*')
  const fault = addFault(modules, { name, version })
  const ready = name !== '' && version !== '' && Object.keys(fault).length === 0
  const add = () => {
    if (!ready) return
    onAdd({ name, version, local: false })
    setName('')
    setVersion('*')
  }
  return (
    <div className="grid gap-3 border-t p-4 sm:grid-cols-[minmax(0,3fr)_minmax(0,1fr)_auto]">
      <FormRow label="Module" error={fault.name}>
        <Input
          className="mono"
          value={name}
          onChange={(event) => setName(event.target.value)}
          onKeyDown={onEnter(add)}
          placeholder="node-red-dashboard"
          spellCheck={false}
          autoCapitalize="none"
        />
      </FormRow>
      <FormRow label="Version" error={fault.version}>
        <Input
          className="mono"
          value={version}
          onChange={(event) => setVersion(event.target.value)}
          onKeyDown={onEnter(add)}
          spellCheck={false}
        />
      </FormRow>
      <div className="sm:pt-6.5">
        <Button disabled={!ready} onClick={add} icon={<Plus size={16} aria-hidden />}>
          Add
        </Button>
      </div>
    </div>
  )
}
