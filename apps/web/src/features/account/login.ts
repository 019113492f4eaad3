import { withoutRefusal } from './sso-refusals.ts'

/** The next step of the login screen. `errors` are sentences by field; `root` is the whole form. */
export type LoginStep =
  | { to: 'password' }
  | { to: 'second-step' }
  | { to: 'provider'; href: string }
  | { to: 'form'; errors: { username: string } | { root: string } }

type Place = { pathname: string; search: string }

interface Refusal {
  code: string
  message: string
  reply: { redirect?: string | undefined }
}

/** Returns the next step after a refused login [LOGIN-02] [LOGIN-09] [LOGIN-11] [LOGIN-12]. `at` is the page that was asked for. */
export function stepAfter({ code, message, reply }: Refusal, at: Place): LoginStep {
  if (code === 'password_required') return { to: 'password' }
  if (code === 'mfa_required') return { to: 'second-step' }
  if (code === 'sso_required') {
    return reply.redirect
      ? { to: 'provider', href: withReturn(reply.redirect, at) }
      : { to: 'form', errors: { username: message } }
  }
  return { to: 'form', errors: { root: code === 'unauthorized' ? 'Login failed' : message } }
}

/** The address that begins a sign-in through a provider. `at` is the page that was asked for. */
export const beginAt = (providerId: string, at: Place): string =>
  withReturn(`/ee/sso/login?provider=${encodeURIComponent(providerId)}`, at)

/** The provider is told where to come back to, unless that is the start page anyway [LOGIN-09, LOGIN-10]. */
function withReturn(redirect: string, at: Place): string {
  const target = withoutRefusal(at)
  if (target === '/') return redirect
  return `${redirect}${redirect.includes('?') ? '&' : '?'}r=${encodeURIComponent(target)}`
}
