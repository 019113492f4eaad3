import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Command as Cmdk } from 'cmdk'
import {
  Box,
  CirclePause,
  FolderInput,
  ExternalLink,
  Layers,
  Play,
  Plus,
  RotateCw,
  PanelsTopLeft,
  Search,
  ShieldCheck,
  SquareTerminal,
  UserRound,
  UsersRound,
} from 'lucide-react'
import { Dialog } from 'radix-ui'
import { useState } from 'react'
import { useOpener } from '../../../ui/use-opener.ts'
import { accountPages, useMayCreateTeams, useUser } from '../../account/index.ts'
import { useTeamApplications } from '../../applications/index.ts'
import { InstanceStatus, useInstanceAction } from '../../instances/index.ts'
import { teamsQuery, useFeatures } from '../../teams/index.ts'
import { adminNavigation } from '../admin-navigation.tsx'
import { navigationOf } from '../navigation.tsx'
import { type Command, type PaletteEntry, type PalettePage, paletteGroups } from '../palette.ts'
import type { ConsoleLocation } from '../location.ts'

const icons = {
  instance: Box,
  application: Layers,
  team: UsersRound,
  editor: ExternalLink,
  logs: SquareTerminal,
  create: Plus,
  start: Play,
  restart: RotateCw,
  suspend: CirclePause,
  move: FolderInput,
  page: PanelsTopLeft,
  admin: ShieldCheck,
  account: UserRound,
}

/** Go anywhere, run anything: type, choose with the arrows, Enter. */
export function Palette({ location, onClose }: { location: ConsoleLocation; onClose: () => void }) {
  const [query, setQuery] = useState('')
  const [chosen, setChosen] = useState<string>()
  const navigate = useNavigate()
  const returnFocus = useOpener(true)
  const { mutate: act } = useInstanceAction()
  const { data: teams = [] } = useQuery(teamsQuery)
  const { data } = useTeamApplications(location.team?.id)
  const mayCreateTeams = useMayCreateTeams()
  const groups = paletteGroups(
    {
      teams,
      applications: data?.applications ?? [],
      location,
      mayCreateTeams,
      accountPages,
      ...useMenuPages(location),
    },
    query,
  )
  // The entry that was moved to, as long as it is there; else the first, also when that comes later than the rest.
  const entries = groups.flatMap((group) => group.entries)
  const current = entries.find(({ id }) => id === chosen) ?? entries[0]

  const run = (command: Command) => {
    onClose()
    if (command.do === 'go') void navigate({ to: command.to })
    if (command.do === 'open') window.open(command.href, '_blank', 'noreferrer')
    if (command.do === 'act') act(command)
  }
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 animate-fade overflow-y-auto bg-scrim p-4 sm:pt-30">
          <Dialog.Content
            aria-describedby={undefined}
            onCloseAutoFocus={returnFocus}
            className="mx-auto w-full max-w-160 animate-pop overflow-hidden rounded-xl border bg-raised shadow-raised outline-none"
          >
            <Dialog.Title className="sr-only">Search or run</Dialog.Title>
            <Cmdk shouldFilter={false} label="Search or run" loop value={current?.id ?? ''} onValueChange={setChosen}>
              <div className="flex items-center gap-2.5 border-b px-4">
                <Search size={16} aria-hidden className="text-muted" />
                <Cmdk.Input
                  value={query}
                  onValueChange={(text) => {
                    setQuery(text)
                    setChosen(undefined)
                  }}
                  placeholder="Search or run..."
                  className="h-12 min-w-0 flex-1 bg-transparent text-lg outline-none placeholder:text-muted"
                />
              </div>
              <Cmdk.List className="max-h-[min(400px,60dvh)] overflow-y-auto p-1.5">
                <Cmdk.Empty className="p-6 text-center text-muted">Nothing found.</Cmdk.Empty>
                {groups.map(({ heading, entries }) => (
                  <Cmdk.Group
                    key={heading}
                    heading={heading}
                    className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-semibold [&_[cmdk-group-heading]]:text-muted"
                  >
                    {entries.map((entry) => (
                      <Entry key={entry.id} entry={entry} onSelect={() => run(entry.command)} />
                    ))}
                  </Cmdk.Group>
                ))}
              </Cmdk.List>
            </Cmdk>
          </Dialog.Content>
        </Dialog.Overlay>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** The entries of the side menus: of the current location, and of the admin area. */
function useMenuPages(location: ConsoleLocation): { locationPages: PalettePage[]; adminPages: PalettePage[] } {
  const { admin } = useUser()
  const features = useFeatures(location.team?.id) ?? {}
  const application = location.application && `/application/${location.application.id}/`
  return {
    locationPages: navigationOf({ ...location, area: undefined }, 0, features)
      .flatMap(({ items }) => items)
      .filter(({ unavailable }) => !unavailable)
      .map(({ label, to }) => ({
        label,
        to,
        note: application && to.startsWith(application) ? location.application?.name : location.team?.name,
      })),
    adminPages: admin ? adminNavigation.flatMap(({ items }) => items) : [],
  }
}

function Entry({ entry, onSelect }: { entry: PaletteEntry; onSelect: () => void }) {
  const Icon = icons[entry.icon]
  return (
    <Cmdk.Item
      value={entry.id}
      onSelect={onSelect}
      className="flex h-9 items-center gap-2.5 rounded-md px-2.5 select-none data-[selected=true]:bg-selected"
    >
      <Icon size={16} aria-hidden className="text-muted" />
      <span className="truncate">{entry.label}</span>
      {entry.instance && <InstanceStatus instance={entry.instance} />}
      {entry.note && <span className="ml-auto truncate text-sm text-muted">{entry.note}</span>}
    </Cmdk.Item>
  )
}
