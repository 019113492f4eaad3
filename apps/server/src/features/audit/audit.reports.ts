import type { AuditRow } from './audit.store.ts'

export type Trigger = Pick<AuditRow, 'trigger_id' | 'trigger_type' | 'trigger_name' | 'username' | 'address'>

interface Person {
  id: string
  name: string
  username: string
}

/** Person that an instance or a device names, and whether the platform knows that it was them. */
export interface Named {
  person: Person
  isKnown: boolean
}

/** Launchers and agents send the id of a person alone, or an object that holds it. */
export function namedId(user: unknown): string | undefined {
  if (typeof user === 'string') return user
  const { id, userId } = (user ?? {}) as { id?: unknown; userId?: unknown }
  const found = userId ?? id
  return typeof found === 'string' ? found : undefined
}

/** The error of a report, bounded; undefined without one. */
export function reportedError(error: unknown): { code: string; message: string } | undefined {
  if (error === undefined || error === null) return undefined
  if (typeof error === 'string') return { code: 'unexpected_error', message: error.slice(0, 2_000) }
  const { code, error: text, message } = error as { code?: unknown; error?: unknown; message?: unknown }
  return {
    code: (typeof code === 'string' ? code : 'unexpected_error').slice(0, 100),
    message: ([text, message].find((part) => typeof part === 'string') ?? 'Unknown error').slice(0, 2_000),
  }
}

/**
 * The trigger of an entry that an instance or a device reports: a person only where the platform knows that it was
 * them. Otherwise the reporter, whose claim stands in its name and in the part of the body that is returned.
 */
export function reportTrigger(reporter: { id: string; name: string }, address: string, named: Named | undefined) {
  const { id, name, username } = named?.person ?? { id: '', name: '', username: null }
  if (named?.isKnown) {
    const trigger: Trigger = { trigger_id: id, trigger_type: 'user', trigger_name: name, username, address }
    return { trigger, claim: {} }
  }
  const trigger: Trigger = {
    trigger_id: reporter.id,
    trigger_type: 'system',
    trigger_name: named ? `${reporter.name} (says: ${name})` : reporter.name,
    username: null,
    address,
  }
  return { trigger, claim: named ? { claimedUser: { id, name, username } } : {} }
}
