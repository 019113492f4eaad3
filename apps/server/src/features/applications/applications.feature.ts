import { defineFeature } from '../../platform/features/feature.ts'
import { roleThere } from '../application-members/index.ts'
import { applicationHandlers } from './applications.routes.ts'
import { type Applications, createApplications } from './applications.service.ts'
import { bringBackApplication, dropEmptyApplication, loadApplication } from './applications.store.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    applications: Applications
  }
}

export const applicationsFeature = defineFeature({
  name: 'applications',
  shares: ['applications'],
  provides: { applications: createApplications },
  routes: ({ applications, instances }) => applicationHandlers(applications, instances),
  hooks: { 'instance.coming': () => bringBackApplication, 'instance.left': () => dropEmptyApplication },
  targets: ({ database }) => ({
    application: {
      keys: ['applicationId'],
      async load({ applicationId }, userId) {
        const row =
          applicationId === undefined ? undefined : await loadApplication(database.read, applicationId, userId)
        const team = row && { id: row.team_id, name: row.team_name, slug: row.team_slug }
        return row && { teamId: row.team_id, role: roleThere(row), application: { ...row, team } }
      },
    },
  }),
})
