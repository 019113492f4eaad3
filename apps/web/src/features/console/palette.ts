import { allows } from '@app/contract/scopes'
import type { ApplicationWithStates, ListedInstance } from '../applications/index.ts'
import type { Action } from '../instances/index.ts'
import type { ConsoleLocation } from './location.ts'

/** The action of an entry of the palette. */
export type Command =
  | { do: 'go'; to: string }
  | { do: 'open'; href: string }
  | { do: 'act'; id: string; action: Action }

export interface PaletteEntry {
  id: string
  label: string
  icon:
    | 'instance'
    | 'application'
    | 'team'
    | 'editor'
    | 'logs'
    | 'create'
    | 'start'
    | 'restart'
    | 'suspend'
    | 'move'
    | 'page'
    | 'admin'
    | 'account'
  /** At the end of the line: what it belongs to. */
  note?: string
  instance?: ListedInstance
  command: Command
}
export interface PaletteGroup {
  heading: string
  entries: PaletteEntry[]
}

export type PalettePage = { label: string; to: string; note?: string | undefined }

export interface PaletteFacts {
  teams: { id: string; name: string; slug: string }[]
  applications: ApplicationWithStates[]
  location: Pick<ConsoleLocation, 'team' | 'role' | 'visiting'>
  mayCreateTeams: boolean
  /** The pages that the side menu offers here, of the team and of the application one is in. */
  locationPages: PalettePage[]
  /** The pages of the admin area, for who may see them. */
  adminPages: PalettePage[]
  /** The pages of the account area. */
  accountPages: PalettePage[]
}

const mostPerGroup = 6
/** Pages are few, and who looks for one wants them all. */
const mostPages = 20

/** Everything the person may go to or run from here that holds every word of the query. */
export function paletteGroups(facts: PaletteFacts, query: string): PaletteGroup[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = ({ label, note = '' }: PaletteEntry) =>
    words.every((word) => label.toLowerCase().includes(word) || note.toLowerCase().includes(word))
  const instances = facts.applications.flatMap((application) =>
    application.instances.map((instance) => ({ instance, note: application.name })),
  )
  const groups = [
    { heading: 'Instances', entries: instances.map(({ instance, note }) => instanceEntry(instance, note)) },
    { heading: 'Applications', entries: facts.applications.map(applicationEntry) },
    // Without a word to go by, the actions on every instance would bury the rest.
    {
      heading: 'Actions',
      entries: [
        ...(words.length > 0 ? instances.flatMap((one) => actionsOn(one.instance, facts.location)) : []),
        ...creating(facts),
      ],
    },
    { heading: 'Pages', entries: facts.locationPages.map(pageEntry('page')), most: mostPages },
    { heading: 'Teams', entries: facts.teams.map(teamEntry) },
    { heading: 'User Settings', entries: facts.accountPages.map(pageEntry('account')), most: mostPages },
    { heading: 'Admin Settings', entries: facts.adminPages.map(pageEntry('admin')), most: mostPages },
  ]
  return groups
    .map(({ heading, entries, most = mostPerGroup }) => ({ heading, entries: entries.filter(fits).slice(0, most) }))
    .filter(({ entries }) => entries.length > 0)
}

const go = (to: string): Command => ({ do: 'go', to })

const instanceEntry = (instance: ListedInstance, note: string): PaletteEntry => ({
  id: `instance-${instance.id}`,
  label: instance.name,
  icon: 'instance',
  note,
  instance,
  command: go(`/instance/${instance.id}/${instance.ha ? 'settings/ha' : 'overview'}`),
})

const applicationEntry = ({ id, name }: { id: string; name: string }): PaletteEntry => ({
  id: `application-${id}`,
  label: name,
  icon: 'application',
  command: go(`/application/${id}/instances`),
})

const teamEntry = ({ id, name, slug }: { id: string; name: string; slug: string }): PaletteEntry => ({
  id: `team-${id}`,
  label: name,
  icon: 'team',
  command: go(`/team/${slug}/applications`),
})

const pageEntry =
  (icon: PaletteEntry['icon']) =>
  ({ label, to, note }: PalettePage): PaletteEntry => ({
    id: to,
    label,
    icon,
    ...(note ? { note } : {}),
    command: go(to),
  })

function actionsOn(instance: ListedInstance, { role, visiting }: PaletteFacts['location']): PaletteEntry[] {
  const { id, name, meta, url, settings, ha } = instance
  const entries: PaletteEntry[] = []
  const add = (icon: PaletteEntry['icon'], label: string, command: Command) =>
    entries.push({ id: `${icon}-${id}`, icon, label: `${label} ${name}`, command })
  if (url && (meta?.state === 'running' || meta?.sleeping) && !visiting && !settings?.disableEditor && !ha) {
    add('editor', 'Open editor of', { do: 'open', href: url })
  }
  add('logs', 'Logs of', go(`/instance/${id}/logs`))
  if (allows(role, 'project:transfer')) add('move', 'Move', go(`/instance/${id}/settings/danger`))
  if (allows(role, 'project:change-status')) {
    if (meta?.state !== 'running') add('start', 'Start', { do: 'act', id, action: 'start' })
    if (meta?.state !== 'suspended' || meta.sleeping) {
      add('restart', 'Restart', { do: 'act', id, action: 'restart' })
      add('suspend', 'Suspend', { do: 'act', id, action: 'suspend' })
    }
  }
  return entries
}

function creating({ location: { team, role }, mayCreateTeams, locationPages }: PaletteFacts): PaletteEntry[] {
  const entries: PaletteEntry[] = []
  const add = (label: string, to: string) =>
    entries.push({ id: `create-${to}`, icon: 'create', label, command: go(to) })
  /** On a page with a button for it. The side menu leads there, unless the platform does without. */
  const addOn = (page: string, label: string) => {
    const to = `/team/${team?.slug}/${page}`
    if (locationPages.some((one) => one.to === to)) add(label, to)
  }
  if (team && allows(role, 'project:create')) {
    add('Create Application', `/team/${team.slug}/applications/create`)
    add('Create Instance', `/team/${team.slug}/instances/create`)
  }
  if (allows(role, 'device:create')) addOn('devices', 'Add Device')
  if (allows(role, 'team:user:invite')) addOn('members', 'Invite Member')
  if (mayCreateTeams) add('Create Team', '/team/create')
  return entries
}
