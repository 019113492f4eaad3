import type { Instance } from '@app/contract'
import { useCan } from '../../../lib/can.ts'
import { Card } from '../../../ui/Card.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Select } from '../../../ui/Select.tsx'
import { takeoverWords } from '../../deployments/index.ts'
import { useSaveTakeover } from '../settings.queries.ts'

const ways = ['beside', 'held', 'stop-first'] as const
const options = [
  { value: 'auto', label: 'Automatic' },
  ...ways.map((value) => ({ value, label: takeoverWords[value].name })),
]
const automatic = 'The node types and open ports of the flows decide. Dialogs say how before you deploy.'

/** How new contents take over from what serves. */
export function TakeoverCard({ instance: { id, takeover } }: { instance: Pick<Instance, 'id' | 'takeover'> }) {
  const mayEdit = useCan('project:edit')
  const { mutate, isPending } = useSaveTakeover(id)
  return (
    <Card title="Takeover" padded>
      <div className="max-w-130">
        <FormRow
          label="How a new version takes over"
          help={takeover === 'auto' ? automatic : takeoverWords[takeover].means}
          disabled={!mayEdit || isPending}
        >
          <Select value={takeover} options={options} onChange={(way) => mutate(way as Instance['takeover'])} />
        </FormRow>
      </div>
    </Card>
  )
}
