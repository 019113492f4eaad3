import { Email, Password, Username } from '@app/contract/account'
import { limits } from '@app/contract/constants'
import * as z from 'zod/mini'

/** A field that must not stay empty. */
export const filled = (message = 'Required field') => z.string().check(z.minLength(1, message))

/** A person's name; empty where the user name stands in for it. */
export const FullName = z.string().check(
  z.maxLength(limits.nameMax, `At most ${limits.nameMax} characters`),
  z.refine((name) => !name.includes('://'), 'Names can not be URLs'),
)

/** The fields of the sign-up form. A field that this platform does not ask for is neither required nor sent. */
export function signUpSchema(asked: { reason: boolean; terms: boolean }) {
  return z.object({
    username: Username,
    name: FullName,
    email: Email,
    password: Password,
    reason: asked.reason ? filled('Choose a reason') : z.string(),
    terms: z.boolean().check(z.refine((accepted) => accepted || !asked.terms, 'Accept the terms to continue')),
  })
}
export type SignUpForm = z.output<ReturnType<typeof signUpSchema>>

/** The profile as its owner edits it. */
export const Profile = z.object({
  username: Username,
  name: FullName.check(z.refine((name) => name.trim() !== '', 'Required field')),
  email: Email,
})
export type Profile = z.output<typeof Profile>

/** Why somebody joins, as the sign-up asks it and as it is sent [SIGNUP-05]. */
export const joinReasons = [
  { value: 'business', title: 'Business Needs' },
  { value: 'personal', title: 'Personal Use' },
  { value: 'education', title: 'Educational Use' },
  { value: 'other', title: 'Other' },
] as const
export type JoinReason = (typeof joinReasons)[number]['value']
