import type { SsoRule, SsoRuleInput, SsoSignIn } from '@app/contract'
import { roles } from '@app/contract/roles'
import { ApiError } from '../../lib/api.ts'
import { formatExact } from '../../lib/dates.ts'
import type { Option } from '../../ui/option.ts'

/** A rule as the form has it: texts alone. `key` names the row while it is edited. */
export interface RuleRow {
  key: number
  group: string
  /** The id of a team, or `administrators`. */
  target: string
  role: string
}

export const administrators = 'administrators'

let lastKey = 0
export const newRow = (of: Partial<RuleRow> = {}): RuleRow => ({
  group: '',
  target: '',
  role: String(roles.member),
  ...of,
  key: (lastKey += 1),
})

export const rowsOf = (rules: readonly SsoRule[]): RuleRow[] =>
  rules.map(({ group, team, role }) =>
    team === null ? newRow({ group, target: administrators }) : newRow({ group, target: team.id, role: String(role) }),
  )

/** Rules without a group or a target are not complete. Returns the sentence for the first. */
export function faultIn(rows: readonly RuleRow[]): string | undefined {
  const at = rows.findIndex(({ group, target }) => group.trim() === '' || target === '')
  return at === -1 ? undefined : `Rule ${at + 1} needs a group and what the group gets`
}

export const rulesFrom = (rows: readonly RuleRow[]): SsoRuleInput[] =>
  rows.map(({ group, target, role }) =>
    target === administrators
      ? { group: group.trim(), team: null, role: roles.admin }
      : { group: group.trim(), team: target, role: Number(role) as SsoRuleInput['role'] },
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
