import type { CopyOptions as Options } from '@app/contract'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Select } from '../../../ui/Select.tsx'

/** The parts that a copy takes along [INST-44]. Credentials belong to flows and do not go without them. */
export function CopyOptions({
  source,
  value,
  onChange,
}: {
  /** The name of the instance that is copied. */
  source: string
  value: Options
  onChange: (value: Options) => void
}) {
  const { flows, credentials, nodes, envVars } = value
  return (
    <FormRow label="Copy" group help={`Copied from ${source} into the new instance. ${source} stays as it is.`}>
      <div className="flex flex-col gap-3">
        <Checkbox
          label="Flows"
          checked={flows}
          onChange={(on) => onChange({ ...value, flows: on, credentials: on && credentials })}
        />
        <Checkbox
          label="Credentials"
          checked={credentials}
          disabled={!flows}
          onChange={(on) => onChange({ ...value, credentials: on })}
        />
        <Checkbox label="Nodes" checked={nodes} onChange={(on) => onChange({ ...value, nodes: on })} />
        <Checkbox
          label="Environment variables"
          checked={envVars !== false}
          onChange={(on) => onChange({ ...value, envVars: on })}
        />
        {envVars !== false && (
          <div className="max-w-60 pl-6.5">
            <Select
              label="Environment variables to copy"
              value={envVars === 'keys' ? 'keys' : 'all'}
              onChange={(choice) => onChange({ ...value, envVars: choice === 'keys' ? 'keys' : true })}
              options={[
                { value: 'all', label: 'Names and values' },
                { value: 'keys', label: 'Names only' },
              ]}
            />
          </div>
        )}
      </div>
    </FormRow>
  )
}
