import type { SsoRule, SsoRuleInput, SsoSignIn } from '@app/contract'
import { isApplicationRole, roles } from '@app/contract/roles'
import { ApiError } from '../../lib/api.ts'
import { formatExact } from '../../lib/dates.ts'
import type { Option } from '../../ui/option.ts'

/** A rule as the form has it: texts alone. `key` names the row while it is edited. */
export interface RuleRow {
  key: number
  group: string
  /** The id of a team, or `administrators`. */
  target: string
  /** The id of an application of the team, or `wholeTeam`. */
  application: string
  role: string
}

export const administrators = 'administrators'
export const wholeTeam = 'whole-team'

let lastKey = 0
export const newRow = (of: Partial<RuleRow> = {}): RuleRow => ({
  group: '',
  target: '',
  application: wholeTeam,
  role: String(roles.member),
  ...of,
  key: (lastKey += 1),
})

export const rowsOf = (rules: readonly SsoRule[]): RuleRow[] =>
  rules.map(({ group, team, application, role }) =>
    team === null
      ? newRow({ group, target: administrators })
      : newRow({ group, target: team.id, application: application?.id ?? wholeTeam, role: String(role) }),
  )

/** Another team has other applications. */
export const withTarget = (row: RuleRow, target: string): RuleRow => ({ ...row, target, application: wholeTeam })

/** An application has not every role of a team: the lowest that it has takes the place of one that it has not. */
export function withApplication(row: RuleRow, application: string): RuleRow {
  const keeps = application === wholeTeam || isApplicationRole(Number(row.role))
  return { ...row, application, role: keeps ? row.role : String(roles.viewer) }
}

/** Rules without a group or a target are not complete. Returns the sentence for the first. */
export function faultIn(rows: readonly RuleRow[]): string | undefined {
  const at = rows.findIndex(({ group, target }) => group.trim() === '' || target === '')
  return at === -1 ? undefined : `Rule ${at + 1} needs a group and what the group gets`
}

export const rulesFrom = (rows: readonly RuleRow[]): SsoRuleInput[] =>
  rows.map(({ group, target, application, role }) =>
    target === administrators
      ? { group: group.trim(), team: null, application: null, role: roles.admin }
      : {
          group: group.trim(),
          team: target,
          application: application === wholeTeam ? null : application,
          role: Number(role) as SsoRuleInput['role'],
        },
  )

/** A refusal in one sentence, with the number of the rule that it speaks of. */
export function ruleFault(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  const [field, text] = Object.entries(error.fields)[0] ?? []
  const at = field && /^rules\.(\d+)\./.exec(field)?.[1]
  return at === undefined || at === '' ? (text ?? error.message) : `Rule ${Number(at) + 1}: ${text}`
}

/** The kept sign-ins that rules can be tried on, newest first. */
export const trialsOf = (signIns: readonly SsoSignIn[]): Option[] =>
  signIns
    .filter(({ groups, result }) => groups !== null || result === 'signed-in')
    .map(({ id, user, email, subject, createdAt, groups }) => ({
      value: id,
      label: user?.username ?? email ?? subject ?? 'Unknown',
      note: `${formatExact(createdAt)}, ${groups === null ? 'no groups' : `${groups.length} groups`}`,
    }))
