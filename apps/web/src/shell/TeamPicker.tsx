import { Check, ChevronsUpDown, Plus } from 'lucide-react'
import { Avatar } from '../ui/Avatar.tsx'
import { Menu } from '../ui/Menu.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'

export type PickerTeam = { id: string; name: string; avatar?: string | undefined; to: string }

/** As wide as an avatar, so that the texts line up. */
const PlusBox = () => (
  <span aria-hidden className="grid w-5.5 place-items-center text-muted">
    <Plus size={16} />
  </span>
)

/** Which team one works in, and the way to the others. The list scrolls past 200 px. */
export function TeamPicker({
  teams,
  current,
  createTo,
  pending,
}: {
  teams: PickerTeam[]
  current: PickerTeam | undefined
  /** Where a team is created; undefined when this person may not. */
  createTo: string | undefined
  /** It is not known yet which team it is. */
  pending?: boolean | undefined
}) {
  if (pending && !current) return <Skeleton className="ml-2 h-4 w-32" />
  if (teams.length === 0 && !createTo) return null
  const list = teams.map((team) => ({
    label: team.name,
    to: team.to,
    icon: <Avatar name={team.name} src={team.avatar} shape="square" />,
    end: team.id === current?.id && <Check size={16} aria-label="current" className="text-accent-text!" />,
  }))
  const create = createTo ? [{ label: 'Create New Team', to: createTo, icon: <PlusBox /> }] : []
  return (
    <Menu
      align="start"
      label="Teams"
      items={[
        ...(list.length > 0 ? [{ list }] : []),
        ...(list.length > 0 && create.length > 0 ? ['divider' as const] : []),
        ...create,
      ]}
      trigger={
        <button
          type="button"
          className="flex min-w-0 items-center gap-2 rounded-md p-1.5 font-medium transition-colors hover:bg-hover aria-expanded:bg-hover sm:px-2"
        >
          {current && <Avatar name={current.name} src={current.avatar} shape="square" />}
          <span className="sr-only">Team: </span>
          <span className="truncate">{current?.name ?? 'Choose a team'}</span>
          <ChevronsUpDown size={16} aria-hidden />
        </button>
      }
    />
  )
}
