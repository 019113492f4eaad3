import type { SsoReason } from '@app/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { newId } from '../../platform/ids.ts'
import { insertSignIn, type SignInRow } from './sign-ins.store.ts'
import type { Arrival } from './sign-in.service.ts'

const longest = { text: 500, values: 50, names: 60, groups: 500 }
const cut = (text: string): string => (text.length > longest.text ? `${text.slice(0, longest.text)}…` : text)

/** Cuts the attributes of a provider to a size that a page can show: texts and lists of texts, by their names. */
function captured(sent: Record<string, unknown>): Record<string, unknown> {
  const one = (value: unknown): unknown =>
    typeof value === 'number' || typeof value === 'boolean' || value === null
      ? value
      : cut(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
  return Object.fromEntries(
    Object.entries(sent)
      .slice(0, longest.names)
      .map(([name, value]) => [
        name.slice(0, 256),
        Array.isArray(value) ? value.slice(0, longest.values).map(one) : one(value),
      ]),
  )
}

/** Keeps one sign-in for the page of its provider. NUL, which PostgreSQL cannot keep, is no part of any name. */
export async function keepSignIn(
  tx: Tx,
  clock: Clock,
  arrival: Pick<Arrival, 'provider'> & Partial<Arrival>,
  what: {
    result: SignInRow['result']
    address: string
    reason?: SsoReason
    detail?: string | undefined
    userId?: string | undefined
    created?: boolean
    applied?: readonly string[]
  },
): Promise<void> {
  const clean = (text: string | undefined) => (text === undefined ? null : cut(text.replaceAll('\0', '')))
  await insertSignIn(tx, {
    id: newId(),
    provider_id: arrival.provider.id,
    created_at: clock.now(),
    result: what.result,
    reason: what.reason ?? null,
    detail: clean(what.detail),
    subject: clean(arrival.subject),
    email: clean(arrival.email),
    user_id: what.userId ?? null,
    created: what.created ? 1 : 0,
    address: what.address,
    sent: JSON.stringify(captured(arrival.sent ?? {})).replaceAll('\\u0000', ''),
    applied: JSON.stringify(what.applied ?? []),
    group_names: arrival.groups
      ? JSON.stringify(arrival.groups.slice(0, longest.groups)).replaceAll('\\u0000', '')
      : null,
  })
}
