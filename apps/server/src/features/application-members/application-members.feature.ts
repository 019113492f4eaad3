import { defineFeature } from '../../platform/features/feature.ts'
import { applicationMemberHandlers } from './application-members.routes.ts'
import { type ApplicationMembers, createApplicationMembers } from './application-members.service.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    applicationMembers: ApplicationMembers
  }
}

export const applicationMembersFeature = defineFeature({
  name: 'application-members',
  shares: ['application_members'],
  provides: { applicationMembers: createApplicationMembers },
  routes: ({ applicationMembers }) => applicationMemberHandlers(applicationMembers),
  hooks: {
    'member.changed': ({ applicationMembers }) => applicationMembers.teamRoleChanged,
    'instance.moved': ({ applicationMembers }) => applicationMembers.instanceMoved,
  },
})
