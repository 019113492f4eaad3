import type { SettingsInput } from '@app/contract'
import { fail } from '../../platform/http/failure.ts'
import type { StoredSettings } from './settings.view.ts'

/**
 * The sign-in of addresses of flows: name and password only with the type that has them [ISET-11] [ATPL-22].
 * @throws Failure invalid_request.
 */
export function authOf(
  input: NonNullable<SettingsInput['httpNodeAuth']>,
  before: StoredSettings['httpNodeAuth'] = {},
): StoredSettings['httpNodeAuth'] {
  const type = input.type ?? before.type ?? 'none'
  if (type !== 'basic') return { type, user: '', pass: false }
  const user = (input.user ?? before.user ?? '').trim()
  const pass = typeof input.pass === 'string' && input.pass !== '' ? input.pass : (before.pass ?? false)
  if (user === '') throw fail('invalid_request', 'Enter a user name', { field: 'settings.httpNodeAuth.user' })
  if (!pass) throw fail('invalid_request', 'Enter a password', { field: 'settings.httpNodeAuth.pass' })
  return { type, user, pass }
}
