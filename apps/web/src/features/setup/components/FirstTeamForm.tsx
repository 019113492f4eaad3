import { TeamName } from '@app/contract/teams'
import { useEffect } from 'react'
import * as z from 'zod/mini'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { Field, Form, SubmitButton, useZodForm } from '../../../ui/Form.tsx'
import { Input } from '../../../ui/Input.tsx'

const FirstTeam = z.object({ name: TeamName, sample: z.boolean() })
export type FirstTeam = z.output<typeof FirstTeam>

/** Second step: a team to begin with, or none. */
export function FirstTeamForm({
  skipping,
  onBack,
  onDone,
}: {
  /** The platform is being set up without a team just now. */
  skipping: boolean
  onBack: () => void
  onDone: (team: FirstTeam | undefined) => Promise<void>
}) {
  const form = useZodForm(FirstTeam, { defaultValues: { name: '', sample: true } })
  const { isSubmitting } = form.formState
  const { setFocus } = form
  useEffect(() => setFocus('name'), [setFocus])
  return (
    <Form form={form} onSubmit={onDone}>
      <Field form={form} name="name" label="Team name">
        {(field) => <Input {...field} placeholder="Example Bakery" />}
      </Field>
      <Field form={form} name="sample" label="Sample" group>
        {({ value, ...field }) => (
          <Checkbox
            {...field}
            checked={value}
            label="Create an application with a sample instance"
            help="A running Node-RED to explore. You can delete it at any time."
          />
        )}
      </Field>
      <SubmitButton form={form} disabled={skipping}>
        Create Team
      </SubmitButton>
      <div className="flex justify-between gap-2">
        <Button variant="ghost" disabled={isSubmitting || skipping} onClick={onBack}>
          Back
        </Button>
        <Button variant="ghost" loading={skipping} disabled={isSubmitting} onClick={() => void onDone(undefined)}>
          Skip this step
        </Button>
      </div>
    </Form>
  )
}
