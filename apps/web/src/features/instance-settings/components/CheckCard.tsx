import type { Instance } from '@app/contract'
import { useState } from 'react'
import { useCan } from '../../../lib/can.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Switch } from '../../../ui/Checkbox.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Input } from '../../../ui/Input.tsx'
import { useCheckPaths, useSaveCheck, useSaveOnErrors } from '../settings.queries.ts'
import { SettingsForm } from './SettingsForm.tsx'

/** At most this many addresses of the flows are suggested. */
const suggestedMost = 3
const usual = { path: '/', status: 200, seconds: 30 }

/** The health check after a deployment, and whether new errors pass. */
export function CheckCard({
  instance: { id, healthCheck, onErrors },
}: {
  instance: Pick<Instance, 'id' | 'healthCheck' | 'onErrors'>
}) {
  const mayEdit = useCan('project:edit')
  const [edited, setEdited] = useState<typeof healthCheck>()
  const [refused, setRefused] = useState<Record<string, string>>({})
  const { mutate, isPending } = useSaveCheck(id, { onSaved: () => setEdited(undefined), onRefused: setRefused })
  const { mutate: saveOnErrors, isPending: isSaving } = useSaveOnErrors(id)
  const paths = useCheckPaths(id, mayEdit && healthCheck === null)
  const check = edited === undefined ? healthCheck : edited
  const set = (change: Partial<typeof usual>) => {
    setRefused({})
    setEdited({ ...(check ?? usual), ...change })
  }
  return (
    <Card title="Health Check" padded>
      <SettingsForm className="flex max-w-130 flex-col gap-5" onSave={() => edited !== undefined && mutate(edited)}>
        <Switch
          checked={check !== null}
          onChange={(on) => setEdited(on ? usual : null)}
          disabled={!mayEdit}
          label="Health-check a URL after each deployment"
          help="Rolls back automatically if the check fails."
        />
        {healthCheck === null && edited === undefined && paths.length > 0 && (
          <div className="flex flex-wrap items-center gap-2">
            <span className="text-muted">Suggested by the flows:</span>
            {paths.slice(0, suggestedMost).map((path) => (
              <Button key={path} size="sm" loading={isPending} onClick={() => mutate({ ...usual, path })}>
                Check {path}
              </Button>
            ))}
          </div>
        )}
        {check && (
          <>
            <FormRow
              label="Path"
              error={refused['healthCheck.path']}
              help="A path of this instance, requested without signing in. Example: /health"
            >
              <Input value={check.path} disabled={!mayEdit} onChange={({ target }) => set({ path: target.value })} />
            </FormRow>
            <div className="grid gap-5 sm:grid-cols-2">
              <FormRow label="Expected status" error={refused['healthCheck.status']}>
                <Input
                  type="number"
                  value={check.status}
                  disabled={!mayEdit}
                  onChange={({ target }) => set({ status: target.valueAsNumber || 0 })}
                />
              </FormRow>
              <FormRow label="Time limit in seconds" error={refused['healthCheck.seconds']}>
                <Input
                  type="number"
                  value={check.seconds}
                  disabled={!mayEdit}
                  onChange={({ target }) => set({ seconds: target.valueAsNumber || 0 })}
                />
              </FormRow>
            </div>
          </>
        )}
        <Switch
          checked={onErrors === 'refuse'}
          onChange={(on) => saveOnErrors(on ? 'refuse' : 'pass')}
          disabled={!mayEdit || isSaving}
          label="Refuse deployments that bring new errors"
          help="When off, the deployment succeeds and lists the errors with their nodes. Errors that existed before never count."
        />
        {edited !== undefined && (
          <div className="flex gap-3">
            <Button type="submit" variant="primary" loading={isPending}>
              Save changes
            </Button>
            <Button variant="ghost" onClick={() => setEdited(undefined)}>
              Discard
            </Button>
          </div>
        )}
      </SettingsForm>
    </Card>
  )
}
