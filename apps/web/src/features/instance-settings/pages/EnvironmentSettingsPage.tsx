import { FileUp } from 'lucide-react'
import { useState } from 'react'
import { useCan } from '../../../lib/can.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useUnsavedGuard } from '../../../lib/use-unsaved-guard.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { SearchInput } from '../../../ui/Input.tsx'
import { useCurrentInstance } from '../../instances/index.ts'
import { AddVariable } from '../components/AddVariable.tsx'
import { EnvFileDialog } from '../components/EnvFileDialog.tsx'
import { SaveBar } from '../components/SaveBar.tsx'
import { VariableRow } from '../components/VariableRow.tsx'
import { useSaveSettings } from '../settings.queries.ts'
import { nameFaults, toSend, toVariables, type Variable, withFile } from '../variables.ts'

/** The environment variables of an instance. */
export function EnvironmentSettingsPage() {
  const instance = useCurrentInstance()
  usePageTitle('Environment', instance.name)
  const mayEdit = useCan('project:edit-env')
  const saved = toVariables(instance.settings.env ?? [])
  const [edited, setEdited] = useState<Variable[]>()
  const [search, setSearch] = useState('')
  const [importing, setImporting] = useState(false)
  const { mutateAsync, isPending } = useSaveSettings(instance.id)
  const variables = edited ?? saved
  const faults = nameFaults(variables)
  const dirty = edited !== undefined && JSON.stringify(toSend(edited)) !== JSON.stringify(toSend(saved))
  useUnsavedGuard(dirty && !isPending)
  const wanted = search.trim().toLowerCase()
  const shown = variables.filter(({ name, value }) => `${name}\n${value}`.toLowerCase().includes(wanted))

  const save = async () => {
    const { ok } = await mutateAsync({ env: toSend(variables) })
    if (ok) setEdited(undefined)
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
      </Card>
      {mayEdit && (
        <SaveBar
          savable={dirty && Object.keys(faults).length === 0}
          dirty={dirty}
          saving={isPending}
          onReset={() => setEdited(undefined)}
          onSave={() => void save()}
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
