import type { EnvironmentKind, Instance } from '@app/contract'
import { useCan } from '../../../lib/can.ts'
import { Card } from '../../../ui/Card.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Select } from '../../../ui/Select.tsx'
import { useSaveEnvironment } from '../settings.queries.ts'

const fromPipeline = 'pipeline'
const options: { value: EnvironmentKind | typeof fromPipeline; label: string }[] = [
  { value: fromPipeline, label: 'From its pipeline stage' },
  { value: 'development', label: 'Development' },
  { value: 'staging', label: 'Staging' },
  { value: 'production', label: 'Production' },
]

/** The choice of the environment that the editor shows. */
export function EnvironmentCard({ instance: { id, environment } }: { instance: Pick<Instance, 'id' | 'environment'> }) {
  const mayEdit = useCan('project:edit')
  const { mutate, isPending } = useSaveEnvironment(id)
  const save = (value: string) => {
    const chosen = options.find((option) => option.value === value)?.value
    if (chosen) mutate(chosen === fromPipeline ? null : chosen)
  }
  return (
    <Card title="Environment Label" padded>
      <div className="max-w-130">
        <FormRow label="Environment" help="Shown in the editor's header. Open editors show it after a reload.">
          <Select
            value={environment ?? fromPipeline}
            onChange={save}
            options={options}
            disabled={!mayEdit || isPending}
          />
        </FormRow>
      </div>
    </Card>
  )
}
