import * as z from 'zod/mini'
import { Email, Password, PersonName, User, Username } from './account.ts'
import { limits } from './constants.ts'
import { Ok } from './primitives.ts'
import { inBrowser, anyone, may, route, signedIn, whileLocked } from './route.ts'

export const joinReasons = ['business', 'personal', 'education', 'other'] as const

/**
 * The sign-up form. `code` is that of a mailed invitation, which proves the address, or that of an invitation link, which
 * does not; one that does not fit counts for
 * nothing. `join_reason` is for analytics: it is taken and not kept.
 */
export const Registration = z.object({
  username: Username,
  email: Email,
  password: Password,
  /** Absent or empty: the user name. */
  name: z.optional(z.union([z.literal(''), PersonName])),
  code: z.optional(z.string().check(z.maxLength(200))),
  tcs_accepted: z.optional(z.boolean()),
  join_reason: z.optional(z.enum(joinReasons)),
})
export type Registration = z.infer<typeof Registration>

/** A token of a mailed link. Whatever does not fit was never one: it is refused like any other that is unknown. */
const TokenParams = z.object({ token: z.string().check(z.maxLength(512)) })
const Nothing = z.object({})

/** Joining the platform, and everything that a mailed link does. Opening a link does nothing: its page posts. */
export const accountLinkRoutes = {
  'account.register': route({
    method: 'POST',
    path: '/account/register',
    summary: 'Sign up. Mails a link to verify the address, unless an invitation code already proves it. Sets no cookie',
    access: anyone,
    body: Registration,
    reply: User,
    errors: [
      'user_registration_unavailable',
      'invalid_username',
      'invalid_email',
      'invalid_sso_email',
      'tcs_missing',
      'unexpected_error',
      'too_many_requests',
    ],
    audit: 'account.register',
    example: {
      body: {
        username: 'alice',
        name: 'Alice Liddell',
        email: 'alice@example.com',
        password: 'correct horse',
        join_reason: 'business',
        tcs_accepted: true,
      },
    },
  }),
  'account.verify': route({
    method: 'POST',
    path: '/account/verify',
    summary: 'Send the verification mail again',
    access: whileLocked(signedIn),
    reply: Ok,
    errors: ['invalid_request', 'too_many_requests'],
    audit: 'account.verify.request-token',
    example: { reply: { status: 'okay' } },
  }),
  'account.verifyToken': route({
    method: 'POST',
    path: '/account/verify/:token',
    summary:
      'Verify an address with the mailed token. Without a session the password is needed as well; a session of another user is refused',
    access: anyone,
    params: TokenParams,
    body: z.object({ password: z.optional(z.string().check(z.maxLength(limits.passwordMax, 'Too long'))) }),
    reply: Ok,
    errors: ['invalid_request', 'password_required', 'invalid_code', 'too_many_requests'],
    audit: 'account.verify.verify-token',
    example: { params: { token: 'ffve_…' }, body: { password: 'correct horse' }, reply: { status: 'okay' } },
  }),
  'account.forgotPassword': route({
    method: 'POST',
    path: '/account/forgot_password',
    summary: 'Mail a password reset link. The answer is the same for unknown addresses',
    access: anyone,
    body: z.object({ email: z.string().check(z.minLength(1, 'Enter email address'), z.maxLength(254)) }),
    reply: Nothing,
    errors: ['password_reset_unavailable', 'too_many_requests'],
    audit: 'account.forgot-password',
    example: { body: { email: 'alice@example.com' }, reply: {} },
  }),
  'account.resetPassword': route({
    method: 'POST',
    path: '/account/reset_password/:token',
    summary: 'Set a new password with the mailed token. Ends all sessions and starts none',
    access: anyone,
    params: TokenParams,
    // The length is judged by the service, so that its refusal carries the code of the specification.
    body: z.object({ password: z.string().check(z.maxLength(limits.passwordMax, 'Password too long')) }),
    reply: Nothing,
    errors: ['password_reset_failed', 'password_reset_unavailable'],
    audit: 'account.reset-password',
    example: { params: { token: 'ffpr_…' }, body: { password: 'battery staple' }, reply: {} },
  }),
  'account.emailChange': route({
    method: 'POST',
    path: '/account/email_change',
    summary: 'Request a change of address. Without a body, resend the pending mail',
    access: inBrowser(may('user:edit', 'self')),
    body: z.object({ email: z.optional(Email) }),
    reply: z.extend(Ok, { pendingEmailChange: z.literal(true) }),
    errors: ['invalid_email', 'invalid_request', 'too_many_requests', 'proof_required'],
    audit: 'account.change-email-request',
    example: { body: { email: 'alice@example.com' }, reply: { status: 'okay', pendingEmailChange: true } },
  }),
  'account.cancelEmailChange': route({
    method: 'DELETE',
    path: '/account/email_change',
    summary: 'Cancel a change of address. The mailed link stops working',
    access: may('user:edit', 'self'),
    reply: Ok,
    errors: [],
    audit: 'account.change-email-cancelled',
  }),
  'account.confirmEmailChange': route({
    method: 'POST',
    path: '/account/email_change/:token',
    summary: 'Confirm the new address with the mailed token. The previous address is notified',
    access: signedIn,
    params: TokenParams,
    reply: Ok,
    errors: ['invalid_request', 'invalid_email'],
    audit: 'account.change-email-confirmed',
    example: { params: { token: 'ffec_…' }, reply: { status: 'okay' } },
  }),
}
