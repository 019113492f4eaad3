import type { FastifyInstance } from 'fastify'
import { createReadStream } from 'node:fs'
import { fail } from '../../../platform/http/failure.ts'
import type { Services } from '../../../platform/features/services.ts'

const notBuilt = 'The agent is not built. Run `npm run build`.\n'

/** As a word of a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/**
 * Serves the installer of the agent, its package and what makes an image of it. All are public: a new machine has no credentials yet, and nothing
 * in them is secret.
 */
export function serveAgent(app: FastifyInstance, services: Services): void {
  void app.register(async (downloads) => {
    downloads.addHook('onRequest', async () => {
      if (!services.switches.devices) throw fail('not_found')
    })
    addDownloads(downloads, services)
  })
}

function addDownloads(app: FastifyInstance, { agentPackage, baseUrl, version }: Services): void {
  app.get('/agent/install.sh', async (_request, reply) => {
    const found = await agentPackage.file()
    if (!found) return reply.code(503).type('text/plain').send(notBuilt)
    const values: Record<string, string> = { ADDRESS: baseUrl, VERSION: version, SHA256: found.sha256 }
    const text = (await agentPackage.installer()).replaceAll(/@([A-Z\d]+)@$/gm, (_all, name: string) =>
      quoted(values[name]!),
    )
    return reply.header('cache-control', 'no-cache').type('text/plain; charset=utf-8').send(text)
  })

  app.get('/agent/Dockerfile', async (_request, reply) => {
    const found = await agentPackage.file()
    if (!found) return reply.code(503).type('text/plain').send(notBuilt)
    const text = (await agentPackage.dockerfile())
      .replace(/^ARG PACKAGE=.*$/m, () => `ARG PACKAGE=${baseUrl}/agent/flowforge-agent.tgz`)
      .replace(/^ARG SHA256=$/m, `ARG SHA256=${found.sha256}`)
    return reply.header('cache-control', 'no-cache').type('text/plain; charset=utf-8').send(text)
  })

  app.get('/agent/flowforge-agent.tgz', async (request, reply) => {
    const found = await agentPackage.file()
    if (!found) return reply.code(503).type('text/plain').send(notBuilt)
    const etag = `"${found.sha256}"`
    void reply.headers({ etag, 'cache-control': 'no-cache' })
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    return reply.header('content-length', found.size).type('application/gzip').send(createReadStream(found.path))
  })
}
