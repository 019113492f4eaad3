import type { TemplateSummary } from '@app/contract'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Form, type FormOf, FormError, SubmitButton, useZodForm } from '../../../ui/Form.tsx'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { instanceTypesQuery, templatesQuery } from '../../catalogue/index.ts'
import { PaymentObstacle, useInstanceObstacle, useTrialType } from '../../billing/index.ts'
import { QuotaNote, useIsFull, useQuotas } from '../../team-types/index.ts'
import { randomName } from '../names.ts'
import { type ChosenType, choicesOf } from '../type-choice.ts'
import { InstanceFields } from './InstanceFields.tsx'
import { type FormKind, type InstanceValues, isBlank, schemas } from './instance-values.ts'

export interface InstanceFormProps {
  kind: FormKind
  /** The team whose limits count. */
  teamId: string
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
  const quotas = useQuotas(props.teamId)
  const types = useQuery(instanceTypesQuery)
  const templates = useQuery(templatesQuery)
  const trialType = useTrialType(props.teamId)
  const error = types.error ?? templates.error
  if (error) {
    const retry = () => void Promise.all([types.refetch(), templates.refetch()])
    return <Failure error={error} onRetry={retry} />
  }
  if (!types.data || !templates.data || quotas.isLoading) return <SkeletonCard rows={5} />
  return <Inner {...props} types={choicesOf(types.data, quotas.data, trialType)} templates={templates.data} />
}

function Inner(props: InstanceFormProps & { types: ChosenType[]; templates: TemplateSummary[] }) {
  const { kind, teamId, types, templates, first, like } = props
  const isTeamFull = useIsFull(teamId, 'instances') && kind !== 'application alone'
  const unpaid = useInstanceObstacle(teamId)
  const obstacle = kind === 'application alone' ? undefined : unpaid
  const [name] = useState(() => randomName())
  const form = useZodForm<InstanceValues>(schemas[kind], {
    defaultValues: {
      application: props.application ?? '',
      name,
      projectType: like?.projectType.id ?? firstOf(types)?.id ?? '',
      stack: like?.stack.id ?? firstOf(types)?.defaultStack ?? '',
      template: like?.template.id ?? templates[0]?.id ?? '',
    },
  })
  return (
    <Form form={form} onSubmit={(values) => props.onSubmit(values, form)}>
      <FormError form={form} />
      {first?.(form)}
      {kind !== 'application alone' && <QuotaNote teamId={teamId} of="instances" />}
      <PaymentObstacle teamId={teamId}>{obstacle}</PaymentObstacle>
      {kind !== 'application alone' && <InstanceFields form={form} types={types} templates={templates} />}
      <div className="flex flex-wrap gap-3">
        <SubmitButton form={form} disabled={isTeamFull || obstacle !== undefined || isBlank(kind, form.watch())}>
          {props.submitLabel}
        </SubmitButton>
        <Button variant="ghost" onClick={props.onCancel}>
          Cancel
        </Button>
      </div>
    </Form>
  )
}

/** The first type that can be chosen; the one of the trial before all others. */
const firstOf = (types: ChosenType[]) =>
  types.find(({ active, trial }) => active && trial) ?? types.find(({ active }) => active)
