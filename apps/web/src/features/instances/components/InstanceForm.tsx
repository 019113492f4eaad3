import type { InstanceType, TemplateSummary } from '@app/contract'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Form, type FormOf, FormError, SubmitButton, useZodForm } from '../../../ui/Form.tsx'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { instanceTypesQuery, templatesQuery } from '../../catalogue/index.ts'
import { randomName } from '../names.ts'
import { InstanceFields } from './InstanceFields.tsx'
import { type FormKind, type InstanceValues, isBlank, schemas } from './instance-values.ts'

export interface InstanceFormProps {
  kind: FormKind
  /** Id of the application, or the name of a new one, to begin with. */
  application?: string
  /** Fields above those of the instance: its application, or the name of a new one. */
  first?: (form: FormOf<InstanceValues>) => ReactNode
  /** Values to begin with, in place of the first of each. */
  like?: { projectType: { id: string }; stack: { id: string }; template: { id: string } }
  submitLabel: string
  onSubmit: (values: InstanceValues, form: FormOf<InstanceValues>) => Promise<void>
  onCancel: () => void
}

/** The form that creating an application and creating an instance share [APP-08]. */
export function InstanceForm(props: InstanceFormProps) {
  const types = useQuery(instanceTypesQuery)
  const templates = useQuery(templatesQuery)
  const error = types.error ?? templates.error
  if (error) {
    const retry = () => void Promise.all([types.refetch(), templates.refetch()])
    return <Failure error={error} onRetry={retry} />
  }
  if (!types.data || !templates.data) return <SkeletonCard rows={5} />
  return <Inner {...props} types={types.data} templates={templates.data} />
}

function Inner(props: InstanceFormProps & { types: InstanceType[]; templates: TemplateSummary[] }) {
  const { kind, types, templates, first, like } = props
  const [name] = useState(() => randomName())
  const form = useZodForm<InstanceValues>(schemas[kind], {
    defaultValues: {
      application: props.application ?? '',
      name,
      projectType: like?.projectType.id ?? types[0]?.id ?? '',
      stack: like?.stack.id ?? types[0]?.defaultStack ?? '',
      template: like?.template.id ?? templates[0]?.id ?? '',
    },
  })
  return (
    <Form form={form} onSubmit={(values) => props.onSubmit(values, form)}>
      <FormError form={form} />
      {first?.(form)}
      {kind !== 'application alone' && <InstanceFields form={form} types={types} templates={templates} />}
      <div className="flex flex-wrap gap-3">
        <SubmitButton form={form} disabled={isBlank(kind, form.watch())}>
          {props.submitLabel}
        </SubmitButton>
        <Button variant="ghost" onClick={props.onCancel}>
          Cancel
        </Button>
      </div>
    </Form>
  )
}
