import { ApiError, reasonOf } from '../../lib/api.ts'

/** Where a refused form shows its reason: by field where the server names one that the form has. */
export function fieldErrorsOf(error: unknown, fields: readonly string[]): Record<string, string> {
  if (!(error instanceof ApiError)) return { root: reasonOf(error) }
  if (error.status === 429) return { root: 'Too many attempts. Wait some minutes, then try again.' }
  const named = Object.entries(error.fields).map(([name, text]) => [name.split('.').at(-1) ?? '', text] as const)
  const known = named.filter(([name]) => fields.includes(name))
  return known.length > 0 ? Object.fromEntries(known) : { root: error.message }
}
