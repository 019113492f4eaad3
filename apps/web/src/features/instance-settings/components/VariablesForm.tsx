import { FileUp } from 'lucide-react'
import { useId, useState } from 'react'
import type { EnvEntry } from '@app/contract'
import { useUnsavedGuard } from '../../../lib/use-unsaved-guard.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { SearchInput } from '../../../ui/Input.tsx'
import { faultsOfVariables, toSend, toVariables, type Variable, withFile } from '../variables.ts'
import { AddVariable } from './AddVariable.tsx'
import { EnvFileDialog } from './EnvFileDialog.tsx'
import { SaveBar } from './SaveBar.tsx'
import { SettingsForm } from './SettingsForm.tsx'
import { VariableRow } from './VariableRow.tsx'

/** The variables of an instance or a device, to be edited and saved together. `onSave` says whether they were. */
export function VariablesForm(props: {
  env: readonly EnvEntry[]
  mayEdit: boolean
  saving: boolean
  onSave: (env: ReturnType<typeof toSend>) => Promise<boolean>
}) {
  const { mayEdit, saving } = props
  const form = useId()
  const saved = toVariables(props.env)
  const [edited, setEdited] = useState<Variable[]>()
  const [search, setSearch] = useState('')
  const [importing, setImporting] = useState(false)
  const variables = edited ?? saved
  const faults = faultsOfVariables(variables)
  const dirty = edited !== undefined && JSON.stringify(toSend(edited)) !== JSON.stringify(toSend(saved))
  useUnsavedGuard(dirty && !saving)
  const wanted = search.trim().toLowerCase()
  const shown = variables.filter(({ name, value }) => `${name}\n${value}`.toLowerCase().includes(wanted))

  const save = async () => {
    if (await props.onSave(toSend(variables))) setEdited(undefined)
  }
  return (
    <div className="flex flex-col gap-4">
      <Card
        title="Environment Variables"
        note={variables.length}
        end={
          <>
            <SearchInput className="w-50" label="Search variables" value={search} onChange={setSearch} />
            {mayEdit && (
              <Button icon={<FileUp size={16} aria-hidden />} onClick={() => setImporting(true)}>
                Import .env
              </Button>
            )}
          </>
        }
      >
        <SettingsForm id={form} className="" onSave={() => void save()}>
          <div role="table" aria-label="Environment variables">
            {shown.map((variable) => (
              <VariableRow
                key={variable.key}
                variable={variable}
                error={faults[variable.key]}
                readOnly={!mayEdit}
                onChange={(change) =>
                  setEdited(variables.map((one) => (one.key === variable.key ? { ...one, ...change } : one)))
                }
                onRemove={() => setEdited(variables.filter(({ key }) => key !== variable.key))}
              />
            ))}
          </div>
          {mayEdit && <AddVariable variables={variables} onAdd={(variable) => setEdited([...variables, variable])} />}
        </SettingsForm>
      </Card>
      {mayEdit && (
        <SaveBar
          form={form}
          savable={dirty && Object.keys(faults).length === 0}
          dirty={dirty}
          saving={saving}
          onReset={() => setEdited(undefined)}
        />
      )}
      <EnvFileDialog
        open={importing}
        onClose={() => setImporting(false)}
        onTake={(file) => setEdited(withFile(variables, file))}
      />
    </div>
  )
}
