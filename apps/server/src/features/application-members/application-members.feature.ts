import type { Db, Tx } from '../../platform/db/tables.ts'
import { defineFeature } from '../../platform/features/feature.ts'
import { applicationMemberHandlers } from './application-members.routes.ts'
import { type ApplicationMembers, createApplicationMembers } from './application-members.service.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    applicationMembers: ApplicationMembers
    /** May people be members without a role in the team? */
    limitedAllowed(db?: Db): Promise<boolean>
  }
  interface Hooks {
    /** In the transaction in which somebody gives, changes or takes away a role in an application. */
    'application-member.by-hand': (tx: Tx, applicationId: string, userId: string) => Promise<void>
  }
}

export const applicationMembersFeature = defineFeature({
  name: 'application-members',
  shares: ['application_members'],
  provides: {
    applicationMembers: createApplicationMembers,
    limitedAllowed:
      ({ settings, switches }) =>
      async (db?: Db) =>
        switches.applicationRoles && (await settings.all(db))['team:application-roles'],
  },
  routes: ({ applicationMembers }) => applicationMemberHandlers(applicationMembers),
  hooks: {
    'member.changed': ({ applicationMembers }) => applicationMembers.teamRoleChanged,
    'instance.moved': ({ applicationMembers }) => applicationMembers.instanceMoved,
  },
})
