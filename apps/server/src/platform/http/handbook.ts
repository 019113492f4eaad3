import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { lifetimeOf, pagePolicy } from './headers.ts'

/** True for an address below /docs. */
export const isHandbook = (url: string): boolean => /^\/docs(\/|\?|$)/.test(url)

/** Serves the built handbook at /docs/, to everybody. Its pages may load what the pages of the console may. */
export async function serveHandbook(app: FastifyInstance, folder: string): Promise<void> {
  if (!existsSync(folder)) return
  // The router takes /docs and /docs/ for one address, and then there is no folder to find an index in.
  app.get('/docs', async (_request, reply) =>
    sendPage(reply.header('cache-control', 'no-cache'), `${folder}/index.html`),
  )
  await app.register(fastifyStatic, {
    root: folder,
    prefix: '/docs/',
    decorateReply: false,
    extensions: ['html'],
    cacheControl: false,
    setHeaders: (reply, path) => {
      reply.header('cache-control', lifetimeOf(path))
      if (path.endsWith('.html')) reply.header('content-security-policy', pagePolicy().policy)
    },
  })
}

/** Answers an address below /docs at which there is no page. */
export function handbookNotFound(reply: FastifyReply, folder: string): Promise<FastifyReply> {
  return sendPage(reply.code(404).header('cache-control', 'no-store'), `${folder}/404.html`)
}

async function sendPage(reply: FastifyReply, file: string): Promise<FastifyReply> {
  const page = await readFile(file, 'utf8').catch(() => undefined)
  if (page === undefined)
    return reply.code(503).type('text/plain').send('The handbook is not built. Run `npm run build`.')
  return reply.header('content-security-policy', pagePolicy().policy).type('text/html; charset=utf-8').send(page)
}
