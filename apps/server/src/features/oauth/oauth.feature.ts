import { defineFeature } from '../../platform/features/feature.ts'
import { also } from '../../platform/features/services.ts'
import { oauthHandlers } from './oauth.routes.ts'
import { createOauth, type Oauth } from './oauth.service.ts'
import { deleteRequestsOf } from './oauth.store.ts'
import { type SignInCookie, signInCookie } from './sign-in-cookie.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    signInCookie: SignInCookie
    oauth: Oauth
  }
}

export const oauthFeature = defineFeature({
  name: 'oauth',
  provides: {
    signInCookie: ({ secure }) => signInCookie(secure),
    oauth: (services) =>
      createOauth(
        also(services, {
          instanceUrl: services.addresses.instanceUrl,
          isActive: async (userId: string) => (await services.accounts.find(userId))?.suspended === 0,
          roleOf: services.teams.roleOf,
        }),
      ),
  },
  routes: ({ oauth, signInCookie: cookie }) => oauthHandlers(oauth, cookie),
  cookies: ({ signInCookie: cookie }) => [cookie.name],
  hooks: { 'instance.deleted': () => deleteRequestsOf },
  backup: { leaveOut: ['oauth_requests'] },
})
