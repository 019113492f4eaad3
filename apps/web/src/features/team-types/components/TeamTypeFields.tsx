import type { InstanceType } from '@app/contract'
import { teamFeatures } from '@app/contract/team-types'
import { useId } from 'react'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Input, Textarea } from '../../../ui/Input.tsx'
import { featureLabels, type TypeValues } from '../team-type-form.ts'

interface Props {
  values: TypeValues
  faults: Record<string, string>
  onChange: (change: Partial<TypeValues>) => void
}
type TextField = {
  [K in keyof TypeValues]: TypeValues[K] extends string ? K : never
}[keyof TypeValues]

const limits: { key: TextField; label: string }[] = [
  { key: 'userLimit', label: 'Members and invitations' },
  { key: 'runtimeLimit', label: 'Instances' },
  { key: 'deviceLimit', label: 'Devices' },
]
const prices: { key: TextField; field: string; label: string; help?: string }[] = [
  { key: 'userCost', field: 'billing.userCost', label: 'Per member and month, US$' },
  { key: 'deviceCost', field: 'billing.deviceCost', label: 'Per device and month, US$' },
  { key: 'deviceFreeAllocation', field: 'deviceFreeAllocation', label: 'Free devices' },
]

/** Name, description and place of a team type. */
export function GeneralFields({ values, faults, onChange }: Props) {
  return (
    <>
      <FormRow label="Name" error={faults.name}>
        <Input value={values.name} autoComplete="off" onChange={(event) => onChange({ name: event.target.value })} />
      </FormRow>
      <Checkbox
        label="Active"
        help="Only an active type can be chosen for a team."
        checked={values.active}
        onChange={(active) => onChange({ active })}
      />
      <FormRow label="Description" help="Markdown: **bold**, *italic*, lists and links." error={faults.description}>
        <Textarea
          rows={3}
          value={values.description}
          onChange={(event) => onChange({ description: event.target.value })}
        />
      </FormRow>
      <FormRow label="Order" help="The lowest comes first." error={faults.order}>
        <div className="w-30">
          <Input
            inputMode="numeric"
            value={values.order}
            onChange={(event) => onChange({ order: event.target.value })}
          />
        </div>
      </FormRow>
    </>
  )
}

/** The limits of a team type, in all and by instance type. */
export function LimitFields({ values, faults, onChange, types }: Props & { types: InstanceType[] }) {
  const listId = useId()
  const rule = (id: string, change: Partial<TypeValues['instanceTypes'][string]>) =>
    onChange({
      instanceTypes: {
        ...values.instanceTypes,
        [id]: { ...(values.instanceTypes[id] ?? { allowed: true, limit: '' }), ...change },
      },
    })
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-3">
        {limits.map(({ key, label }) => (
          <FormRow key={key} label={label} error={faults[`properties.${key}`]}>
            <Input
              inputMode="numeric"
              placeholder="No limit"
              value={values[key]}
              onChange={(event) => onChange({ [key]: event.target.value })}
            />
          </FormRow>
        ))}
      </div>
      <FormRow label="Instance types" group help="An instance type that is added later is allowed without a limit.">
        <ul className="flex flex-col gap-3">
          {types.map(({ id, name }) => {
            const { allowed, limit } = values.instanceTypes[id] ?? { allowed: true, limit: '' }
            const fault = faults[`properties.instanceTypes.${id}`]
            return (
              <li key={id} className="flex flex-wrap items-center justify-between gap-3">
                <Checkbox label={name} checked={allowed} onChange={(now) => rule(id, { allowed: now })} />
                <div className="w-30">
                  <Input
                    aria-label={`Limit of ${name}`}
                    aria-invalid={fault !== undefined}
                    aria-describedby={fault && `${listId}-${id}`}
                    inputMode="numeric"
                    placeholder="No limit"
                    disabled={!allowed}
                    value={limit}
                    onChange={(event) => rule(id, { limit: event.target.value })}
                  />
                </div>
                {fault && (
                  <p id={`${listId}-${id}`} role="alert" className="w-full text-sm text-bad-text">
                    {fault}
                  </p>
                )}
              </li>
            )
          })}
        </ul>
      </FormRow>
    </>
  )
}

/** The features that teams of the type have. */
export function FeatureFields({ values, onChange }: Props) {
  return (
    <FormRow label="Features" group help="A feature that is off on the platform is off for every team.">
      <div className="grid gap-3 sm:grid-cols-2">
        {teamFeatures.map((name) => (
          <Checkbox
            key={name}
            label={featureLabels[name]}
            checked={values.features[name]}
            onChange={(has) => onChange({ features: { ...values.features, [name]: has } })}
          />
        ))}
      </div>
    </FormRow>
  )
}

/** The prices that people see. */
export function PriceFields({ values, faults, onChange }: Props) {
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-3">
        {prices.map(({ key, field, label }) => (
          <FormRow key={key} label={label} error={faults[`properties.${field}`]}>
            <Input
              inputMode="decimal"
              placeholder={key === 'deviceFreeAllocation' ? '0' : 'Free'}
              value={values[key]}
              onChange={(event) => onChange({ [key]: event.target.value })}
            />
          </FormRow>
        ))}
      </div>
      <FormRow
        label="Price text"
        help="Shown in place of the price per member, such as $99/month."
        error={faults['properties.billingDescription']}
      >
        <Input
          value={values.billingDescription}
          onChange={(event) => onChange({ billingDescription: event.target.value })}
        />
      </FormRow>
    </>
  )
}
