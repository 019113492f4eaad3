import { defineFeature } from '../../platform/features/feature.ts'
import { also } from '../../platform/features/services.ts'
import type { DirectoryGroups } from '../sso/index.ts'
import { createDirectoryGroups } from './pushed-groups.ts'
import { createScimGroups, type ScimGroups } from './scim-groups.service.ts'
import { scimHandlers } from './scim.routes.ts'
import { scimBase, serveScim } from './scim.server.ts'
import { createScimTokens, isScimToken, scimCaller, type ScimTokens } from './scim-tokens.service.ts'
import { createScimUsers, type ScimUsers } from './scim-users.service.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    directoryGroups: DirectoryGroups
    scimTokens: ScimTokens
    scimUsers: ScimUsers
    scimGroups: ScimGroups
  }
}

export const scimFeature = defineFeature({
  name: 'scim',
  provides: {
    directoryGroups: createDirectoryGroups,
    scimTokens: createScimTokens,
    scimUsers: (services) => createScimUsers(also(services, { base: scimBase(services.baseUrl) })),
    scimGroups: (services) => createScimGroups(also(services, { base: scimBase(services.baseUrl) })),
  },
  routes: ({ scimTokens, scimGroups, baseUrl }) => scimHandlers(scimTokens, scimGroups, scimBase(baseUrl)),
  hooks: { 'user.changed': ({ scimUsers }) => scimUsers.userChanged },
  serve: serveScim,
  callers: () => ({ scim: scimCaller }),
  identify({ scimTokens }, { bearer, address }) {
    return isScimToken(bearer) ? scimTokens.actorOf(bearer, address) : undefined
  },
})
