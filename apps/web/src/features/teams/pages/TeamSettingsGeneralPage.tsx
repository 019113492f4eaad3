import { Slug, TeamName } from '@app/contract/teams'
import { useState } from 'react'
import * as z from 'zod/mini'
import { ApiError, hasStatus } from '../../../lib/api.ts'
import { useCan } from '../../../lib/can.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useUnsavedGuard } from '../../../lib/use-unsaved-guard.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Field, Form, FormError, setFieldErrors, settle, SubmitButton, useZodForm } from '../../../ui/Form.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Input } from '../../../ui/Input.tsx'
import { ChangeType } from '../../team-types/index.ts'
import { useTeam } from '../team-context.ts'
import { useSaveTeam } from '../team-settings.queries.ts'

const Values = z.object({ name: TeamName, slug: Slug })
type Values = z.output<typeof Values>

/** Name and slug of a team [TSET-03] [TSET-04]. */
export function TeamSettingsGeneralPage() {
  const team = useTeam()
  usePageTitle('Team Settings', team.name)
  const { name, slug } = team
  const { mutateAsync: save, isPending } = useSaveTeam(team.id)
  const form = useZodForm(Values, { defaultValues: { name, slug }, values: { name, slug } })
  const { isDirty } = form.formState
  const mayChangeType = useCan('team:change-type')
  const [isChanging, setChanging] = useState(false)
  useUnsavedGuard(isDirty && !isPending)

  async function submit(values: Values) {
    try {
      await save(values)
      settle(form, values, values)
    } catch (refusal) {
      if (!(refusal instanceof ApiError)) return
      const { fields, message } = refusal
      if (hasStatus(refusal, 409)) form.setError('slug', { message: 'Slug already in use' }, { shouldFocus: true })
      else setFieldErrors(form, Object.keys(fields).length > 0 ? fields : { root: message })
    }
  }
  return (
    <Card title="General" padded>
      <Form form={form} onSubmit={submit} className="flex max-w-130 flex-col gap-5">
        <FormError form={form} />
        <FormRow label="Team ID" uneditable={{ value: <span className="mono">{team.id}</span> }} />
        <FormRow
          label="Team Type"
          uneditable={{
            value: (
              <span className="flex flex-wrap items-center gap-3">
                {team.type.name}
                {mayChangeType && (
                  <Button size="sm" onClick={() => setChanging(true)}>
                    Change Type
                  </Button>
                )}
              </span>
            ),
          }}
        />
        {isChanging && <ChangeType team={team} onClose={() => setChanging(false)} />}
        <Field form={form} name="name" label="Team name">
          {(field) => <Input {...field} autoComplete="off" />}
        </Field>
        <Field
          form={form}
          name="slug"
          label="URL slug"
          help="Addresses of the team's pages change with it; links to the old ones no longer work."
        >
          {(field) => <Input {...field} autoComplete="off" autoCapitalize="none" spellCheck={false} />}
        </Field>
        <div>
          <SubmitButton form={form} disabled={!isDirty}>
            Save team settings
          </SubmitButton>
        </div>
      </Form>
    </Card>
  )
}
