import { defineFeature } from '../../platform/features/feature.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { also } from '../../platform/features/services.ts'
import { variables } from '../../platform/keys/places.ts'
import { userSummaryView } from '../account/index.ts'
import { catalogueHandlers } from './catalogue.routes.ts'
import { type Catalogue, createCatalogue } from './catalogue.service.ts'
import { templateVariableContext } from './templates.service.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    catalogue: Catalogue
  }
  interface Hooks {
    /** In the transaction that changes the settings of a template; `access`: who reaches the addresses of flows. */
    'template.changed': (tx: Tx, id: string, change: { access: boolean }) => Promise<void>
    /** Once that is committed. */
    'template.saved': () => Promise<void>
  }
}

export const catalogueFeature = defineFeature({
  name: 'catalogue',
  provides: {
    catalogue: (services) =>
      createCatalogue(
        also(services, {
          people: async (ids: string[]) =>
            (await services.accounts.listById(ids)).map((row) => userSummaryView(row, services.baseUrl)),
          templateChanged: (tx: Tx, id: string, change: { access: boolean }) =>
            services.hooks.run('template.changed', tx, id, change),
          templateSaved: () => void services.hooks.run('template.saved'),
        }),
      ),
  },
  routes: ({ catalogue }) => catalogueHandlers(catalogue),
  runs: {
    catalogue: ({ catalogue, driver }) => ({
      async start(isHost) {
        if (!isHost) return
        const stack = await catalogue.usualStack()
        if (stack) driver.expect(stack)
        await catalogue.prepareStacks()
      },
    }),
  },
  backup: {
    // Whether Node-RED is installed is found out where it is restored.
    change: { stacks: (row) => ({ ...row, state: 'waiting', reason: null }) },
  },
  sealed: [
    {
      table: 'templates',
      key: ['id'],
      column: 'settings',
      find: variables(({ id = '' }, name) => templateVariableContext(id, name)),
    },
  ],
})
