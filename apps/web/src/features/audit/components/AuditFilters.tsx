import { ListFilter } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { intervals } from '@app/contract/constants'
import { cn } from '../../../lib/cn.ts'
import { Button } from '../../../ui/Button.tsx'
import { Combobox } from '../../../ui/Combobox.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Input, SearchInput } from '../../../ui/Input.tsx'
import type { AuditFilter } from '../audit.queries.ts'
import type { EventChoice } from '../filters.ts'

const all = 'all'

/** Text, event type, user and days, beside the log. */
export function AuditFilters(props: {
  choices: EventChoice[]
  users: { username: string; name: string }[]
  filter: AuditFilter
  onEvent: (key: string) => void
  onUsername: (username: string) => void
  onQuery: (text: string) => void
  onFrom: (day: string) => void
  onTo: (day: string) => void
  first?: ReactNode
  /** On a phone the filters below the search are folded up, lest the log begin below the screen. */
  open: boolean
  onOpen: (open: boolean) => void
}) {
  const { filter } = props
  const set = (change: (value: string) => void) => (value: string) => change(value === all ? '' : value)
  const showAll = { value: all, label: 'Show All' }
  const events = props.choices.map(({ label, keys }) => ({ value: keys[0] ?? label, label }))
  const users = props.users.map(({ username, name }) => ({ value: username, label: `${name} (${username})` }))
  return (
    <section
      aria-label="Filters"
      className="grid flex-none grid-cols-2 content-start gap-4 sm:grid-cols-3 lg:w-60 lg:grid-cols-1"
    >
      <div className="col-span-full flex gap-2">
        <LateSearch value={filter.query} onChange={props.onQuery} />
        <Button
          className="sm:hidden"
          icon={<ListFilter size={16} aria-hidden />}
          aria-expanded={props.open}
          onClick={() => props.onOpen(!props.open)}
        >
          Filters
        </Button>
      </div>
      <div className={cn('contents', !props.open && 'max-sm:hidden')}>
        {props.first}
        <FormRow label="Event type:">
          <Combobox value={filter.events[0] ?? all} onChange={set(props.onEvent)} options={[showAll, ...events]} />
        </FormRow>
        <FormRow label="User:">
          <Combobox value={filter.username || all} onChange={set(props.onUsername)} options={[showAll, ...users]} />
        </FormRow>
        <FormRow label="From:">
          <Input
            type="date"
            value={filter.from}
            max={filter.to}
            onChange={(event) => props.onFrom(event.target.value)}
          />
        </FormRow>
        <FormRow label="To:">
          <Input type="date" value={filter.to} min={filter.from} onChange={(event) => props.onTo(event.target.value)} />
        </FormRow>
      </div>
    </section>
  )
}

/** Asks when the reader stops typing, not for every letter. */
function LateSearch({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const [text, setText] = useState(value)
  useEffect(() => {
    if (text === value) return undefined
    const timer = setTimeout(() => onChange(text), intervals.searchDebounce)
    return () => clearTimeout(timer)
  }, [text, value, onChange])
  return (
    <SearchInput className="min-w-0 flex-1" label="Search activity" value={text} onChange={setText} maxLength={200} />
  )
}
