import { Combobox } from '../../../ui/Combobox.tsx'
import { useDeviceTags } from '../devices.queries.ts'

/** No tag is called so. */
const all = '*'

/** Lists the devices that have one tag; nothing while the team has no tags. */
export function TagFilter(props: { teamId: string; value: string; onChange: (tag: string) => void }) {
  const { teamId, value, onChange } = props
  const { data: tags = [] } = useDeviceTags(teamId)
  if (tags.length === 0 && value === '') return null
  // A link may name one that no device has any more.
  const known = tags.some(({ tag }) => tag === value) || value === '' ? [] : [{ value, label: value }]
  return (
    <div className="w-44">
      <Combobox
        label="Tag"
        value={value || all}
        onChange={(tag) => onChange(tag === all ? '' : tag)}
        searchLabel="Search Tags..."
        emptyText="No such tag."
        options={[
          { value: all, label: 'All tags' },
          ...known,
          ...tags.map(({ tag, devices }) => ({ value: tag, label: tag, note: devices.toLocaleString() })),
        ]}
      />
    </div>
  )
}
