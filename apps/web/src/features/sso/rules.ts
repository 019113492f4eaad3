import type { SsoRule, SsoRuleInput, SsoSignIn } from '@app/contract'
import { isApplicationRole, roles } from '@app/contract/roles'
import { ApiError } from '../../lib/api.ts'
import { formatExact } from '../../lib/dates.ts'
import { plural } from '../../lib/plural.ts'
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

export interface RuleFault {
  text: string
  /** The place of the rule among the rows, and its field, where one is to blame. */
  at?: number
  field?: string
}

/** Rules without a group or a target are not complete. Returns the fault of the first. */
export function faultIn(rows: readonly RuleRow[]): RuleFault | undefined {
  const at = rows.findIndex(({ group, target }) => group.trim() === '' || target === '')
  if (at === -1) return undefined
  const field = rows[at]!.group.trim() === '' ? 'group' : 'team'
  return { at, field, text: `Rule ${at + 1} needs a group and what the group gets` }
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
export function ruleFault(error: unknown): RuleFault | undefined {
  if (!(error instanceof ApiError)) return undefined
  const [path, text] = Object.entries(error.fields)[0] ?? []
  const [, number, field] = /^rules\.(\d+)\.(\w+)/.exec(path ?? '') ?? []
  if (number === undefined) return { text: text ?? error.message }
  const at = Number(number)
  return { at, text: `Rule ${at + 1}: ${text}`, ...(field === undefined ? {} : { field }) }
}

/** The kept sign-ins that rules can be tried on, newest first. */
export const trialsOf = (signIns: readonly SsoSignIn[]): Option[] =>
  signIns
    .filter(({ groups, result }) => groups !== null || result === 'signed-in')
    .map(({ id, user, email, subject, createdAt, groups }) => ({
      value: id,
      label: user?.username ?? email ?? subject ?? 'Unknown',
      note: `${formatExact(createdAt)}, ${groups === null ? 'no groups' : plural(groups.length, 'group')}`,
    }))
