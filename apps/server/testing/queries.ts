import type { FastifyInstance } from 'fastify'
import { AsyncLocalStorage } from 'node:async_hooks'

/** Most queries one request may need; a query in a loop goes past it with the test data. */
export const mostQueries = 14

/** Counts the queries of each request by its route. */
export function countQueries() {
  const current = new AsyncLocalStorage<{ queries: number }>()
  const worst = new Map<string, number>()
  return {
    /** The largest number seen, by method and route. */
    worst,
    count: () => {
      const request = current.getStore()
      if (request) request.queries += 1
    },
    watch(app: FastifyInstance) {
      app.addHook('onRequest', (_request, _reply, done) => current.run({ queries: 0 }, done))
      app.addHook('onResponse', async (request) => {
        const route = `${request.method} ${request.routeOptions.url}`
        worst.set(route, Math.max(worst.get(route) ?? 0, current.getStore()?.queries ?? 0))
      })
    },
  }
}
