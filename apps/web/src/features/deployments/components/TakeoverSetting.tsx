import type { TakeoverSetting as Setting } from '@app/contract'
import { Card } from '../../../ui/Card.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Select } from '../../../ui/Select.tsx'
import { takeoverWords } from '../takeover-text.ts'

const ways = ['beside', 'held', 'stop-first'] as const
const options = [
  { value: 'auto', label: 'Automatic' },
  ...ways.map((value) => ({ value, label: takeoverWords[value].name })),
]
const automatic = 'Chosen from the node types and open ports of the flows. Dialogs show the choice before you deploy.'

/** Takeover setting of an instance or a device. */
export function TakeoverSetting(props: { value: Setting; disabled: boolean; onChange: (way: Setting) => void }) {
  const { value, disabled, onChange } = props
  return (
    <Card title="Takeover" padded>
      <div className="max-w-130">
        <FormRow
          label="How a new version takes over"
          help={value === 'auto' ? automatic : takeoverWords[value].means}
          disabled={disabled}
        >
          <Select value={value} options={options} onChange={(way) => onChange(way as Setting)} />
        </FormRow>
      </div>
    </Card>
  )
}
