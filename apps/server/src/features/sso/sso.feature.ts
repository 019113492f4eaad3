import { defineFeature } from '../../platform/features/feature.ts'
import { also } from '../../platform/features/services.ts'
import { properties, whole } from '../../platform/keys/sealed.columns.ts'
import { beginHandlers } from './begin.routes.ts'
import { createSsoChoices, type SsoChoices } from './choices.service.ts'
import { createSsoDomains, type SsoDomains } from './domains.service.ts'
import { createSsoLinking, type SsoLinking } from './linking.service.ts'
import { createLdap, judgeLdap, type Ldap } from './ldap/ldap.service.ts'
import { createSsoLogin, type SsoLogin } from './login.service.ts'
import { oidcHandlers } from './oidc/oidc.routes.ts'
import { createOidc, judgeOidc, type Oidc } from './oidc/oidc.service.ts'
import { createSsoRequests, ssoCookie, type SsoCookie, type SsoRequests } from './requests.service.ts'
import { ssoSweeps } from './requests.store.ts'
import { samlChecks } from './saml/saml.health.ts'
import { samlHandlers } from './saml/saml.routes.ts'
import { createSaml, judgeSaml, type Saml } from './saml/saml.service.ts'
import { createSamlWatch, type SamlWatch } from './saml/saml.watch.ts'
import { createSsoRemoval, type SsoRemoval } from './rules/removal.service.ts'
import { createSsoReviews, type SsoReviews } from './rules/reviews.service.ts'
import { ssoRulesHandlers } from './rules/rules.routes.ts'
import { createSsoRules, type SsoRules } from './rules/rules.service.ts'
import { createSsoSignIns, type SsoSignIns } from './sign-in.service.ts'
import { linkCookie, type SignInCookies, ssoHandlers } from './sso.routes.ts'
import { createSso, secretContext, type Sso } from './sso.service.ts'
import type { ProviderRow } from './sso.store.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    ssoCookie: SsoCookie
    /** The cookies that a sign-in through a provider sets. */
    ssoCookies: SignInCookies
    sso: Sso
    ssoChoices: SsoChoices
    ssoDomains: SsoDomains
    ssoRemoval: SsoRemoval
    ssoRequests: SsoRequests
    ssoReviews: SsoReviews
    ssoRules: SsoRules
    ssoSignIns: SsoSignIns
    ssoLinking: SsoLinking
    ssoLogin: SsoLogin
    saml: Saml
    samlWatch: SamlWatch
    oidc: Oidc
    ldap: Ldap
  }
}

/** Finds the options that the protocol of a provider could not work with. */
const judges = { saml: judgeSaml, oidc: judgeOidc, ldap: judgeLdap }
const judge = (row: ProviderRow) => judges[row.type](row)

export const ssoFeature = defineFeature({
  name: 'sso',
  shares: ['sso_providers'],
  provides: {
    ssoCookie: ({ secure }) => ssoCookie(secure),
    ssoCookies: (services) => ({
      session: services.sessionCookie,
      browser: services.browserCookie,
      step: services.stepCookie,
      link: linkCookie(services.secure),
    }),
    sso: (services) => createSso(also(services, { judge })),
    ssoChoices: createSsoChoices,
    ssoDomains: createSsoDomains,
    ssoRemoval: createSsoRemoval,
    ssoRequests: createSsoRequests,
    ssoReviews: createSsoReviews,
    ssoRules: createSsoRules,
    ssoSignIns: createSsoSignIns,
    ssoLinking: createSsoLinking,
    ssoLogin: createSsoLogin,
    saml: createSaml,
    samlWatch: createSamlWatch,
    oidc: createOidc,
    ldap: createLdap,
  },
  routes: (services) => ({
    ...ssoHandlers(services, services.ssoCookies),
    ...samlHandlers(services, services.ssoCookies),
    ...ssoRulesHandlers(services),
    ...oidcHandlers(services, services.ssoCookies),
    ...beginHandlers(also(services, { begins: { saml: services.saml.begin, oidc: services.oidc.begin } })),
  }),
  jobs: ({ ssoRemoval, ssoReviews }) => [ssoRemoval.removeJob, ssoReviews.reviewJob],
  hooks: {
    'member.by-hand': ({ ssoRules }) => ssoRules.memberByHand,
    'application-member.by-hand': ({ ssoRules }) => ssoRules.applicationMemberByHand,
  },
  cookies: ({ ssoCookie: cookie, ssoCookies: { link } }) => [cookie.name, link.name],
  runs: {
    samlWatch: ({ samlWatch }) => ({
      start: (isHost) => (isHost ? samlWatch.start() : undefined),
      stop: samlWatch.stop,
    }),
  },
  health: samlChecks,
  sweeps: ssoSweeps,
  backup: { leaveOut: ['sso_requests', 'sso_answers', 'sso_links'] },
  sealed: [
    {
      table: 'sso_providers',
      key: ['id'],
      column: 'secrets',
      find: properties(({ id = '' }, secrets) =>
        Object.fromEntries(Object.keys(secrets).map((name) => [name, secretContext(id, name)])),
      ),
    },
    {
      table: 'sso_requests',
      key: ['id_hash'],
      column: 'data',
      find: whole(({ id_hash = '' }) => `sso-request:${id_hash}`),
    },
  ],
})
