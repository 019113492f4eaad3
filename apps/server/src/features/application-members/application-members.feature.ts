import { defineFeature } from '../../platform/features/feature.ts'
import { applicationMemberHandlers } from './application-members.routes.ts'
import { type ApplicationMembers, createApplicationMembers } from './application-members.service.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    applicationMembers: ApplicationMembers
    /** May people be members without a role in the team? */
    limitedAllowed(): Promise<boolean>
  }
}

export const applicationMembersFeature = defineFeature({
  name: 'application-members',
  shares: ['application_members'],
  provides: {
    applicationMembers: createApplicationMembers,
    limitedAllowed:
      ({ settings, switches }) =>
      async () =>
        switches.applicationRoles && (await settings.all())['team:application-roles'],
  },
  routes: ({ applicationMembers }) => applicationMemberHandlers(applicationMembers),
  hooks: {
    'member.changed': ({ applicationMembers }) => applicationMembers.teamRoleChanged,
    'instance.moved': ({ applicationMembers }) => applicationMembers.instanceMoved,
  },
})
