import { limited, roleName, roles } from '@app/contract'

interface InTeam {
  teamId: string
  team: string
}
interface InApplication extends InTeam {
  applicationId: string
  application: string
}

export type Effect =
  | ({ kind: 'join'; role: number; group: string | undefined } & InTeam)
  | ({ kind: 'role'; role: number; group: string | undefined; held?: true } & InTeam)
  | ({ kind: 'leave' } & InTeam)
  /** Somebody decided about this membership by hand, so rules leave it as it is. */
  | ({ kind: 'by-hand'; role: number } & InTeam)
  | ({ kind: 'application-role'; role: number; group: string | undefined } & InApplication)
  /** `covered`: a group gives the role still, and that in the team is as high. */
  | ({ kind: 'application-end'; covered: boolean } & InApplication)
  | ({ kind: 'application-by-hand'; role: number } & InApplication)
  /** The role in the team leaves nothing to give in the application. */
  | ({ kind: 'application-covered'; role: number } & InApplication)
  /** Roles in applications are switched off. */
  | ({ kind: 'application-off' } & InApplication)
  | { kind: 'admin'; group: string }
  | { kind: 'no-admin' }

const titles: Record<string, string> = {
  limited: 'Limited',
  dashboard: 'Dashboard Only',
  viewer: 'Viewer',
  member: 'Member',
  owner: 'Owner',
}
const title = (role: number): string => titles[roleName(role)] ?? roleName(role)
const by = (group: string | undefined): string => (group === undefined ? '' : `, by the group “${group}”`)
const inTeam = ({ role, team }: { role: number; team: string }): string =>
  `${title(role)} ${role === limited ? 'in' : 'of'} “${team}”`
const within = ({ application, team }: { application: string; team: string }): string => `“${application}” of “${team}”`

const held = ', because a role in an application there was given by hand'

/** An effect in a sentence for administrators. */
export function sentenceOf(effect: Effect): string {
  switch (effect.kind) {
    case 'join':
      return `Joins “${effect.team}” as ${title(effect.role)}${by(effect.group)}.`
    case 'role':
      return `Becomes ${inTeam(effect)}${effect.held ? held : by(effect.group)}.`
    case 'leave':
      return `Leaves “${effect.team}”: no group gives a role there any more.`
    case 'by-hand':
      return `Stays ${inTeam(effect)}: the role was given by hand.`
    case 'application-role':
      return `Becomes ${title(effect.role)} in ${within(effect)}${by(effect.group)}.`
    case 'application-end':
      return effect.covered
        ? `Loses the role in ${within(effect)}: the role in the team is as high.`
        : `Loses the role in ${within(effect)}: no group gives it any more.`
    case 'application-by-hand':
      return `Stays ${title(effect.role)} in ${within(effect)}: the role was given by hand.`
    case 'application-covered':
      return effect.role === roles.dashboard
        ? `Gets no role in ${within(effect)}: Dashboard Only members have no roles in applications.`
        : `Gets no role in ${within(effect)}: the role in the team, ${title(effect.role)}, is as high.`
    case 'application-off':
      return `The rule for ${within(effect)} changes nothing: roles in single applications are off.`
    case 'admin':
      return `Becomes an administrator${by(effect.group)}.`
    case 'no-admin':
      return 'Is no administrator any more: no group gives it.'
  }
}

/** The provider said nothing of groups, which is another thing than that there are none. */
export const noGroups = 'The provider sent no groups, so the rules changed nothing.'
/** The groups came with the sign-in that asked for the password, which no rule has seen. */
export const linkedNow = 'The account was linked by its password just now. Rules count from the next sign-in.'
/** Rules that knew only a part of the groups would take roles away. */
export const someGroups = 'The directory sent only a part of the groups, so the rules changed nothing.'
/** A past sign-in on which rules cannot be tried. */
export const noGroupsKept = 'No groups were kept of this sign-in, so the rules would change nothing.'

/** A sentence for an effect that did not come about. */
export function refusalOf(effect: Effect): string {
  switch (effect.kind) {
    case 'join':
      return `Does not join “${effect.team}”: the team is full.`
    case 'role':
    case 'leave':
      return `Stays Owner of “${effect.team}”: it has no other owner.`
    case 'application-role':
    case 'application-end':
      return `Nothing changes in ${within(effect)}: somebody else changed it at the same time.`
    default:
      return 'Stays an administrator: there is no other who can sign in by a password.'
  }
}
