import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Combobox } from '../../../ui/Combobox.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { teamMembersQuery } from '../../teams/index.ts'
import type { EventChoice } from '../filters.ts'

const all = 'all'

/** Event type and user, beside the log. */
export function AuditFilters(props: {
  choices: EventChoice[]
  /** The first key of the chosen event type; '' for all. */
  event: string
  onEvent: (key: string) => void
  teamId: string
  username: string
  onUsername: (username: string) => void
  first?: ReactNode
}) {
  const { data: members } = useQuery(teamMembersQuery(props.teamId))
  const set = (change: (value: string) => void) => (value: string) => change(value === all ? '' : value)
  const showAll = { value: all, label: 'Show All' }
  const events = props.choices.map(({ label, keys }) => ({ value: keys[0] ?? label, label }))
  const users = (members ?? []).map(({ username, name }) => ({ value: username, label: `${name} (${username})` }))
  return (
    <section aria-label="Filters" className="grid flex-none grid-cols-2 gap-4 sm:grid-cols-3 lg:w-60 lg:grid-cols-1">
      {props.first}
      <FormRow label="Event type:">
        <Combobox value={props.event || all} onChange={set(props.onEvent)} options={[showAll, ...events]} />
      </FormRow>
      <FormRow label="User:">
        <Combobox value={props.username || all} onChange={set(props.onUsername)} options={[showAll, ...users]} />
      </FormRow>
    </section>
  )
}
