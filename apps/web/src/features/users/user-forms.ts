import type { AdminUser, AdminUserPatch } from '@app/contract'
import { Email, Password, Username } from '@app/contract/account'
import { toastDurations } from '@app/contract/constants'
import * as z from 'zod/mini'
import { toast } from '../../ui/toast.ts'
import { FullName } from '../account/index.ts'

/** The page on which an administrator makes an account [AUSER-16] [AUSER-21]. */
export const NewUser = z
  .object({
    username: Username,
    name: FullName,
    email: Email,
    password: Password,
    confirm: z.string(),
    isAdmin: z.boolean(),
    createDefaultTeam: z.boolean(),
    password_expired: z.boolean(),
  })
  .check(
    z.refine(({ password, confirm }) => password === confirm, { error: 'Passwords do not match', path: ['confirm'] }),
  )
export type NewUser = z.output<typeof NewUser>

export const EditedUser = z.object({
  username: Username,
  name: FullName,
  email: Email,
  email_verified: z.boolean(),
  admin: z.boolean(),
  suspended: z.boolean(),
})
export type EditedUser = z.output<typeof EditedUser>

export const editedOf = ({ username, name, email, email_verified, admin, suspended }: AdminUser): EditedUser => ({
  username,
  name,
  email,
  email_verified,
  admin,
  suspended,
})

/** Only what differs. */
export function patchOf(saved: AdminUser, edited: EditedUser): AdminUserPatch {
  const before = editedOf(saved)
  return Object.fromEntries(Object.entries(edited).filter(([key, value]) => value !== before[key as keyof EditedUser]))
}

/** Returns the answer of the platform as one or two sentences. */
export interface Refused {
  error?: string | undefined
  message?: string | undefined
}
const invalidPassword = 'Invalid password'
const both = ({ error, message }: Refused) => [...new Set([error, message].filter((text) => text))].join(': ')

/** Where a refused new account shows its reason [AUSER-31]; `root` is the whole form. */
export function creationFailure(refused: Refused): Record<string, string> {
  const text = both(refused)
  if (/username/i.test(text)) return { username: 'Username unavailable' }
  // Why it is refused (too common, too short) is worth knowing [SIGNUP-23].
  if (/password/i.test(text)) return { password: invalidPassword, root: text }
  if (/email/i.test(text)) return { email: 'Email unavailable' }
  return { root: text || 'Something went wrong on the server' }
}

/** The same for a change [AUSER-25] [AUSER-26] [AUSER-27] [AUSER-28]; a text alone belongs in the corner [AUSER-29]. */
export function changeFailure(refused: Refused): Record<string, string> | string {
  const text = both(refused)
  if (/username/i.test(text)) return { username: 'Username unavailable' }
  if (/password/i.test(text)) return { password: `${invalidPassword}. ${text}` }
  if (/admin/i.test(text)) return { admin: text }
  if (/email must be unique/i.test(text)) return { email: 'Email already registered' }
  return text || 'Something went wrong on the server'
}

/** A refused change that belongs to no field [AUSER-29]. */
export const warnOfChange = (text: string) => toast.warning(text, { countdown: toastDurations.serverError })
