import type { Pipeline, Stage } from '@app/contract'
import { useNavigate } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { reasonOf } from '../../../lib/api.ts'
import { requiredName } from '../../../lib/required-name.ts'
import { Button } from '../../../ui/Button.tsx'
import { Switch } from '../../../ui/Checkbox.tsx'
import { Combobox } from '../../../ui/Combobox.tsx'
import { Field, Form, FormError, SubmitButton, useZodForm } from '../../../ui/Form.tsx'
import { Input } from '../../../ui/Input.tsx'
import { type ListedInstance, useCurrentApplication } from '../../applications/index.ts'
import { useSaveStage } from '../pipelines.queries.ts'

const StageInput = z.object({
  name: requiredName(),
  instanceId: z.string().check(z.minLength(1, 'Choose an instance')),
  onErrors: z.enum(['pass', 'refuse']),
})

/** The name and the instance of a stage [PIPE-05]; instances of other stages are not offered [PIPE-13]. */
export function StageForm(props: {
  pipeline: Pipeline
  instances: ListedInstance[]
  /** The stage that is changed; without one, another is added behind `source`. */
  stage?: Stage
  source?: string | undefined
}) {
  const { pipeline, instances, stage, source } = props
  const { id: applicationId } = useCurrentApplication()
  const navigate = useNavigate()
  const { mutateAsync: save } = useSaveStage(applicationId, pipeline.id, { stage, source })
  const taken = new Set(
    pipeline.stages.filter(({ id }) => id !== stage?.id).flatMap((other) => other.instances.map(({ id }) => id)),
  )
  // Instances of other stages are left out [INST-48].
  const options = instances.filter(({ id }) => !taken.has(id)).map(({ id, name }) => ({ value: id, label: name }))
  const before = {
    name: stage?.name ?? '',
    instanceId: stage?.instances[0]?.id ?? '',
    onErrors: stage?.onErrors ?? ('pass' as const),
  }
  // Where there is one to choose it is chosen [INST-47].
  const only = stage === undefined && options.length === 1 ? options[0]?.value : undefined
  const form = useZodForm(StageInput, { defaultValues: { ...before, instanceId: only ?? before.instanceId } })
  const [name, instanceId, onErrors] = form.watch(['name', 'instanceId', 'onErrors'])
  const unchanged =
    stage !== undefined &&
    name.trim() === before.name &&
    instanceId === before.instanceId &&
    onErrors === before.onErrors
  const leave = () => void navigate({ to: '/application/$applicationId/pipelines', params: { applicationId } })
  return (
    <Form
      form={form}
      onSubmit={async (values) => {
        try {
          await save(values)
          leave()
        } catch (error) {
          form.setError('root', { type: 'server', message: reasonOf(error) })
        }
      }}
    >
      <Field form={form} name="name" label="Stage Name">
        {(field) => <Input {...field} autoComplete="off" placeholder="Staging" />}
      </Field>
      <Field
        form={form}
        name="instanceId"
        label="Instance"
        help={
          options.length === 0
            ? 'Every instance of this application has a stage already. Create another instance first.'
            : 'Each instance has at most one stage in a pipeline.'
        }
      >
        {({ value, onChange, onBlur, ref }) => (
          <Combobox
            value={value}
            onChange={onChange}
            onBlur={onBlur}
            ref={ref}
            options={options}
            placeholder="Choose an instance..."
            searchLabel="Search Instances..."
            emptyText="No such instance."
          />
        )}
      </Field>
      <Field form={form} name="onErrors" label="New Errors">
        {({ value, onChange }) => (
          <Switch
            checked={value === 'refuse'}
            onChange={(on) => onChange(on ? 'refuse' : 'pass')}
            label="Refuse a push that brings new errors"
            help="When off, the push succeeds and lists the errors with their nodes."
          />
        )}
      </Field>
      <FormError form={form} />
      <div className="flex gap-3">
        <SubmitButton form={form} disabled={name.trim() === '' || instanceId === '' || unchanged}>
          {stage ? 'Update Stage' : 'Add Stage'}
        </SubmitButton>
        <Button variant="ghost" onClick={leave}>
          Cancel
        </Button>
      </div>
    </Form>
  )
}
