import { FormRow } from '../../../ui/FormRow.tsx'
import { Select } from '../../../ui/Select.tsx'
import type { ListedInstance } from '../applications.queries.ts'

const label = 'Application Instance:'

/** Which instance of the application; `bare` for a toolbar. */
export function InstanceChoice(props: {
  instances: ListedInstance[]
  value: string
  onChange: (id: string) => void
  bare?: boolean
}) {
  const options = props.instances.map(({ id, name }) => ({ value: id, label: name }))
  const choice = { value: props.value, onChange: props.onChange, options }
  return props.bare ? (
    <Select {...choice} label={label} inline />
  ) : (
    <FormRow label={label}>
      <Select {...choice} />
    </FormRow>
  )
}
