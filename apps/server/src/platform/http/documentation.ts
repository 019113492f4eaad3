import type { FastifyInstance } from 'fastify'
import { openApi } from './openapi.ts'

/** The OpenAPI document of the contract; built when somebody asks for it first. */
export function serveDocumentation(app: FastifyInstance): void {
  let document: string | undefined
  app.get('/api/openapi.json', async (_request, reply) => {
    document ??= JSON.stringify(openApi())
    return reply.type('application/json; charset=utf-8').send(document)
  })
}
