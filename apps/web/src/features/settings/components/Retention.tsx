import { plural } from '../../../lib/plural.ts'
import { useSettings } from '../../account/index.ts'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Select } from '../../../ui/Select.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { useSavePlatformSettings } from '../settings.queries.ts'

const forever = 'forever'
const choices = [
  { value: forever, label: 'For ever' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: '730', label: '2 years' },
  { value: '1825', label: '5 years' },
]

const question = (days: number) => ({
  title: 'Keep audit entries for a shorter time',
  message: `Entries of every audit log that are older than ${plural(days, 'day')} are removed within the hour and cannot be brought back.`,
  confirmLabel: 'Remove older entries',
  danger: true,
})

/** Retention of the entries of all audit logs. A shorter time is confirmed first: what is removed is gone. */
export function Retention() {
  const settings = useSettings()
  const { mutate: save } = useSavePlatformSettings()
  if (!settings) return null
  const days = settings['audit:retention-days'] ?? null
  const value = days === null ? forever : String(days)
  const known = choices.some((choice) => choice.value === value)
  const options = known ? choices : [...choices, { value, label: plural(Number(value), 'day') }]
  const change = async (next: string) => {
    const wanted = next === forever ? null : Number(next)
    const shorter = wanted !== null && (days === null || wanted < days)
    if (shorter && !(await confirm(question(wanted)))) return
    save({ 'audit:retention-days': wanted })
  }
  return (
    <FormRow label="Keep entries:">
      <Select value={value} onChange={(next) => void change(next)} options={options} />
    </FormRow>
  )
}
