import { Email } from '@app/contract'
import { loginKey, type PersonRow } from '../account/index.ts'
import type { ListedInvitation } from './invitations.store.ts'

/** The user or the address without an account that is to be invited. */
export interface Wanted {
  user?: PersonRow
  email?: string
}

export interface InviteChecks {
  users: readonly PersonRow[]
  /** Ids of those users who are members already. */
  members: ReadonlySet<string>
  invited: readonly ListedInvitation[]
  /** May addresses without an account be invited? */
  external: 'yes' | 'no' | 'no-mail'
}

/** User names and addresses out of a text with commas, each once. */
export function splitInputs(text: string): string[] {
  const inputs = text.split(',').flatMap((one) => one.trim() || [])
  return inputs.filter((one, index) => inputs.findIndex((other) => loginKey(other) === loginKey(one)) === index)
}

function judge(input: string, checks: InviteChecks): Wanted | string {
  const key = loginKey(input)
  // An address that nobody proved, and nobody will be asked to prove, stands for no person.
  const user = checks.users.find(
    (one) => one.username_key === key || (one.email_key === key && !(one.proof_waived && !one.email_verified)),
  )
  if (user) {
    if (checks.members.has(user.id)) return 'Already a member of the team'
    if (checks.invited.some((one) => one.invitee_id === user.id)) return 'Already invited'
    return { user }
  }
  if (!input.includes('@')) return 'There is no user of this name'
  if (checks.external === 'no') return 'People without an account cannot be invited on this platform'
  if (checks.external === 'no-mail') return 'No mail can be sent: mail is not configured on this platform'
  if (!Email.safeParse(input).success) return 'This is not a mail address'
  return checks.invited.some((one) => one.email_key === key) ? 'Already invited' : { email: input }
}

/** Sorts inputs into those that can be invited and those that cannot, with the reason of each. */
export function judgeInputs(
  inputs: readonly string[],
  checks: InviteChecks,
): { wanted: Wanted[]; faults: Record<string, string> } {
  const wanted: Wanted[] = []
  const faults: Record<string, string> = {}
  for (const input of inputs) {
    const verdict = judge(input, checks)
    if (typeof verdict === 'string') faults[input] = verdict
    // A name and an address may be one and the same person.
    else if (!verdict.user || wanted.every(({ user }) => user?.id !== verdict.user?.id)) wanted.push(verdict)
  }
  return { wanted, faults }
}
