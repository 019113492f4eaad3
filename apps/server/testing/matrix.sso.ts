import type { RouteIdOf } from '@app/contract'
import type { MatrixCall } from './matrix.calls.ts'

/** A caller who gets through learns that there is no such provider. */
const onNoProvider: MatrixCall = { allowed: [404], input: () => ({ params: { providerId: 'none' } }) }
/** A caller who gets through learns that nothing waits in this browser. */
const onNothing: MatrixCall = { allowed: [401], input: () => ({}) }

/** Calls of OpenID Connect in the matrix. */
export const ssoOidcCalls: Record<RouteIdOf<'ssoOidc'>, MatrixCall> = {
  'ssoOidc.callback': { allowed: [303], input: () => ({ params: { providerId: 'none' } }) },
}

/** Calls of rules for groups in the matrix. */
export const ssoRulesCalls: Record<RouteIdOf<'ssoRules'>, MatrixCall> = {
  'ssoRules.list': onNoProvider,
  'ssoRules.replace': { ...onNoProvider, input: () => ({ params: { providerId: 'none' }, body: { rules: [] } }) },
  'ssoRules.try': {
    ...onNoProvider,
    input: () => ({ params: { providerId: 'none' }, body: { rules: [], signIn: 'none' } }),
  },
}

/** Calls of single sign-on in the matrix. */
export const ssoCalls: Record<RouteIdOf<'sso'>, MatrixCall> = {
  'sso.list': { input: () => ({}) },
  'sso.create': { input: (world) => ({ body: { name: 'Matrix', domainFilter: `@${world.unused()}.example.com` } }) },
  'sso.get': onNoProvider,
  'sso.update': { ...onNoProvider, input: () => ({ params: { providerId: 'none' }, body: { name: 'Matrix' } }) },
  'sso.delete': onNoProvider,
  'sso.signIns': onNoProvider,
  'sso.metadata': { ...onNoProvider, input: () => ({ params: { providerId: 'none' }, body: { xml: '<a/>' } }) },
  'sso.login': { allowed: [303], input: () => ({ query: { u: 'nobody@nowhere.example.com' } }) },
  'sso.callback': { allowed: [303], input: () => ({ body: { SAMLResponse: 'bm9uZQ==' } }) },
  'sso.entity': onNoProvider,
  'sso.linking': onNothing,
  'sso.link': { ...onNothing, input: () => ({ body: { password: 'wrong' } }) },
}
