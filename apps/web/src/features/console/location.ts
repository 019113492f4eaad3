import type { TeamBilling } from '@app/contract'
import { roles } from '@app/contract/roles'
import { useQuery } from '@tanstack/react-query'
import { useMatches, useParams } from '@tanstack/react-router'
import { hasStatus } from '../../lib/api.ts'
import { useUser } from '../account/index.ts'
import { useApplication } from '../applications/index.ts'
import { useDevice } from '../devices/index.ts'
import { useInstance } from '../instances/index.ts'
import { chooseTeam, teamBySlugQuery, teamsQuery, useTeamRole } from '../teams/index.ts'

export interface ConsoleLocation {
  /** The team whose pages the navigation offers; undefined when the person has none. */
  team: { id: string; name: string; slug: string; avatar: string } | undefined
  role: number
  /** Billing of that team, on its pages; undefined while billing is off. */
  billing?: TeamBilling | undefined
  /** The answers that tell it are on their way. */
  pending: boolean
  /** The object that an administrator views without being a member of its team. */
  visiting: 'team' | 'application' | 'instance' | 'device' | undefined
  application: { id: string; name: string } | undefined
  /** The open page of a team. */
  thing?: 'instance' | 'device' | undefined
  /** The part of the console that is no team's. */
  area: 'account' | 'admin' | undefined
}

/** The answer to what was asked for, unless that is gone by now, or the person may not see it any more. */
const reached = <T>({ data, error }: { data: T | undefined; error: Error | null }): T | undefined =>
  hasStatus(error, 404) ? undefined : data

/** Where the address leads to: which team, and as whom. Reads what the page itself reads, so it costs no call. */
export function useConsoleLocation(): ConsoleLocation {
  const params: Partial<Record<'slug' | 'applicationId' | 'instanceId' | 'deviceId', string>> = useParams({
    strict: false,
  })
  const area = useMatches({ select: (matches) => matches.find(({ staticData }) => staticData.area)?.staticData.area })
  const { defaultTeam } = useUser()
  const { data: teams, isPending } = useQuery(teamsQuery)
  const asked = useQuery({ ...teamBySlugQuery(params.slug ?? ''), enabled: params.slug !== undefined })
  const [ofApplication, ofInstance] = [useApplication(params.applicationId), useInstance(params.instanceId)]
  const ofDevice = useDevice(params.deviceId)
  const [bySlug, application, instance] = [reached(asked), reached(ofApplication), reached(ofInstance)]
  const named = bySlug ?? application?.team ?? instance?.team ?? reached(ofDevice)?.team
  const team = named ?? chooseTeam(teams ?? [], defaultTeam)
  const standing = useTeamRole(team?.id)
  const kind = bySlug ? 'team' : application ? 'application' : instance ? 'instance' : 'device'
  const own = teams?.find(({ id }) => id === named?.id)
  return {
    team,
    role: standing?.role ?? roles.none,
    billing: bySlug?.billing ?? own?.billing,
    pending: isPending || [asked, ofApplication, ofInstance, ofDevice].some(({ isLoading }) => isLoading),
    visiting: named && standing?.visiting ? kind : undefined,
    application,
    thing: params.instanceId ? 'instance' : params.deviceId ? 'device' : undefined,
    area,
  }
}
