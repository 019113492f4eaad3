import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { errorReply, fail } from './failure.ts'
import { handbookNotFound, isHandbook, serveHandbook } from './handbook.ts'
import { lifetimeOf, pagePolicy } from './headers.ts'

const defaultFolder = fileURLToPath(new URL('../../../../web/dist', import.meta.url))

/**
 * Serves the built console: hashed assets for ever, the page itself with a fresh nonce for every
 * address that is no call; `connects` tells which addresses elsewhere the code of a page may ask. Unknown paths under /api answer in JSON.
 */
export async function servePages(
  app: FastifyInstance,
  {
    folder = defaultFolder,
    connects = async () => [],
  }: { folder?: string | undefined; connects?: (path: string) => Promise<readonly string[]> } = {},
): Promise<void> {
  const built = existsSync(folder)
  if (built) {
    await app.register(fastifyStatic, {
      root: folder,
      index: false,
      preCompressed: true,
      wildcard: false,
      // The page as it is on disk has no nonce, so it would be blank. The handbook has a policy of its own.
      globIgnore: ['index.html', 'docs/**'],
      cacheControl: false,
      setHeaders: (reply, path) => void reply.header('cache-control', lifetimeOf(path)),
    })
    await serveHandbook(app, `${folder}/docs`)
  }
  const page = built ? await readFile(`${folder}/index.html`, 'utf8') : undefined

  app.setNotFoundHandler(async (request, reply) => {
    const wantsPage =
      ['GET', 'HEAD'].includes(request.method) &&
      !request.url.startsWith('/api/v1/') &&
      // Agents, load balancers and uptime checks ask for the front page without saying what they take.
      (/^\/(\?|$)/.test(request.url) || (request.headers.accept ?? '').includes('text/html'))
    if (!wantsPage) return reply.code(404).send(errorReply(fail('not_found')))
    if (isHandbook(request.url)) return handbookNotFound(reply, `${folder}/docs`)
    if (!page) return reply.code(503).type('text/plain').send('The console is not built. Run `npm run build`.')
    const { nonce, policy } = pagePolicy(await connects(request.url.split('?', 1)[0]!))
    const [encoding, compress] = compressionFor(request.headers['accept-encoding']?.toString())
    return reply
      .headers({ 'content-security-policy': policy, 'cache-control': 'no-store', vary: 'accept-encoding' })
      .headers(encoding ? { 'content-encoding': encoding } : {})
      .type('text/html; charset=utf-8')
      .send(compress(page.replaceAll('__CSP_NONCE__', nonce)))
  })
}

/** The page has a nonce of its own in every answer, so it is compressed each time: quickly rather than best. */
function compressionFor(accepted = ''): [encoding: string | undefined, compress: (text: string) => Buffer | string] {
  const takes = (name: string) => accepted.split(',').some((each) => each.trim().split(';')[0] === name)
  if (takes('br'))
    return ['br', (text) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })]
  if (takes('gzip')) return ['gzip', gzipSync]
  return [undefined, (text) => text]
}
