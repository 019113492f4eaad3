import { roles } from '@app/contract/roles'
import { allows } from '@app/contract/scopes'
import type { ApplicationWithStates, ListedInstance } from '../applications/index.ts'
import type { Action } from '../instances/index.ts'
import type { Place } from './place.ts'

/** What an entry of the palette does. */
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
    | 'audit'
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

export interface PaletteFacts {
  teams: { id: string; name: string; slug: string }[]
  applications: ApplicationWithStates[]
  place: Pick<Place, 'team' | 'role' | 'visiting'>
  mayCreateTeams: boolean
  /** The pages of the account area. */
  accountPlaces: { label: string; to: string }[]
}

const mostPerGroup = 6

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
        ...(words.length > 0 ? instances.flatMap((one) => actionsOn(one.instance, facts.place)) : []),
        ...pages(facts),
      ],
    },
    { heading: 'Teams', entries: facts.teams.map(teamEntry) },
    { heading: 'User Settings', entries: facts.accountPlaces.map(accountEntry) },
  ]
  return groups
    .map(({ heading, entries }) => ({ heading, entries: entries.filter(fits).slice(0, mostPerGroup) }))
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

const accountEntry = ({ label, to }: { label: string; to: string }): PaletteEntry => ({
  id: to,
  label,
  icon: 'account',
  command: go(to),
})

function actionsOn(instance: ListedInstance, { role, visiting }: PaletteFacts['place']): PaletteEntry[] {
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

function pages({ place: { team, role }, mayCreateTeams }: PaletteFacts): PaletteEntry[] {
  const entries: PaletteEntry[] = []
  const add = (icon: PaletteEntry['icon'], label: string, to: string) =>
    entries.push({ id: to, icon, label, command: go(to) })
  if (team && role >= roles.viewer) {
    if (allows(role, 'project:create')) {
      add('create', 'Create Application', `/team/${team.slug}/applications/create`)
      add('create', 'Create Instance', `/team/${team.slug}/instances/create`)
    }
    if (allows(role, 'team:audit-log')) add('audit', 'Audit Log', `/team/${team.slug}/audit-log`)
  }
  if (mayCreateTeams) add('create', 'Create Team', '/team/create')
  return entries
}
