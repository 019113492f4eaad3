import { defineFeature } from '../../platform/features/feature.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { also } from '../../platform/features/services.ts'
import { variables } from '../../platform/keys/sealed.columns.ts'
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
    /** New instances get other modules from a template; `former` are those of the ones there are [ATPL-17]. */
    'template.modules': (tx: Tx, id: string, former: readonly object[]) => Promise<void>
    /** Once that is committed. */
    'template.saved': () => Promise<void>
  }
}

export const catalogueFeature = defineFeature({
  name: 'catalogue',
  shares: ['instance_types', 'stacks', 'templates'],
  provides: {
    catalogue: (services) =>
      createCatalogue(
        also(services, {
          people: async (ids: string[]) =>
            (await services.accounts.listById(ids)).map((row) => userSummaryView(row, services.baseUrl)),
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
  jobs: ({ catalogue }) => [catalogue.prepareStackJob],
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
