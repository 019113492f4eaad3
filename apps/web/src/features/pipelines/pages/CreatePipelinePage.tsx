import { useNavigate } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { usePageTitle } from '../../../lib/page-title.ts'
import { requiredName } from '../../../lib/required-name.ts'
import { Button } from '../../../ui/Button.tsx'
import { Field, Form, SubmitButton, useZodForm } from '../../../ui/Form.tsx'
import { Input } from '../../../ui/Input.tsx'
import { SectionTitle } from '../../../ui/PageHeader.tsx'
import { useCurrentApplication } from '../../applications/index.ts'
import { RequirePipelines } from '../components/RequirePipelines.tsx'
import { useCreatePipeline } from '../pipelines.queries.ts'

const NewPipeline = z.object({
  name: requiredName(),
})

/** Names a new pipeline [PIPE-04]. */
export function CreatePipelinePage() {
  const application = useCurrentApplication()
  usePageTitle('Add Pipeline', application.name)
  return (
    <RequirePipelines changes>
      <SectionTitle title="Add Pipeline" note="You add its stages next." />
      <NameForm />
    </RequirePipelines>
  )
}

function NameForm() {
  const { id: applicationId, teamId } = useCurrentApplication()
  const navigate = useNavigate()
  const { mutateAsync: create } = useCreatePipeline(applicationId, teamId)
  const form = useZodForm(NewPipeline, { defaultValues: { name: '' } })
  const leave = () => void navigate({ to: '/application/$applicationId/pipelines', params: { applicationId } })
  const empty = form.watch('name').trim() === ''
  return (
    <Form
      form={form}
      onSubmit={async ({ name }) => {
        // The error was shown already.
        const made = await create(name).catch(() => undefined)
        if (made) leave()
      }}
    >
      <Field form={form} name="name" label="Pipeline Name">
        {(field) => <Input {...field} autoComplete="off" placeholder="Oven line" />}
      </Field>
      <div className="flex gap-3">
        <SubmitButton form={form} disabled={empty}>
          Create Pipeline
        </SubmitButton>
        <Button variant="ghost" onClick={leave}>
          Cancel
        </Button>
      </div>
    </Form>
  )
}
