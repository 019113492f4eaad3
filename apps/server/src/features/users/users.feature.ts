import { defineFeature } from '../../platform/features/feature.ts'
import { userHandlers } from './users.routes.ts'
import { createUsers, type Users } from './users.service.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    users: Users
  }
}

export const usersFeature = defineFeature({
  name: 'users',
  provides: { users: createUsers },
  routes: ({ users }) => userHandlers(users),
})
