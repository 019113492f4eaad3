import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Request {
  redirectUri: string
  state: string
  challenge: string
}

interface Deployed {
  basis: string
  flows: unknown
  credentials?: unknown
  user?: string
  refused?: true
}

/** The double's answer to a deploy that began from flows which are no longer stored. */
export const replaced = 'Refused, since the flows were replaced'
const revisionOf = (flows: unknown) => createHash('sha256').update(JSON.stringify(flows)).digest('hex')

/** The calls that an instance makes to the platform, answered from memory. */
export async function startPlatformDouble() {
  const stored = new Map<string, unknown>()
  const audit: { instance: string; event: string; user?: string }[] = []
  /** Deploys that were refused, by Node-RED or here. */
  const refused: { instance: string; flows: unknown; user?: string }[] = []
  /** The people who have an instance's editor open. */
  const open = new Map<string, string[]>()
  const codes = new Map<string, Request>()
  const behaviour = {
    /** Settings of the instance, as on the wire to launchers. */
    settings: {} as Record<string, unknown>,
    env: {} as Record<string, string>,
    features: {} as Record<string, boolean>,
    /** Broker and team of the link nodes. */
    projectLink: undefined as object | undefined,
    /** Limit of the persistent context. */
    contextMb: undefined as number | undefined,
    /** Number of processes that the instance is to have. */
    replicas: 1,
    /** Scope of the tokens that are given out: '*' or 'read'. */
    scope: '*',
    expiresIn: 1800,
    refreshed: 0,
    refuseRefresh: false,
    refuseResume: false,
    /** Status with which every call is answered instead. */
    failWith: undefined as number | undefined,
    username: 'alice',
    environment: null as object | null,
  }
  let url = ''

  const server = createServer((request, response) => {
    const reply = (status: number, body: unknown, headers = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
    void answer(request, reply)
  })

  type Reply = (status: number, body: unknown, headers?: object) => unknown

  async function answer(request: IncomingMessage, reply: Reply): Promise<unknown> {
    const text = await bodyOf(request)
    const { pathname, searchParams } = new URL(request.url ?? '/', url)
    const [, first, second, third, fourth] = pathname.split('/')
    if (behaviour.failWith) return reply(behaviour.failWith, { code: 'refused', error: 'Refused by the test' })
    if (first === 'account') return account(second ?? '', searchParams, new URLSearchParams(text), reply)
    if (pathname === '/api/v1/user/')
      return reply(200, { id: `user-of-${behaviour.username}`, username: behaviour.username, avatar: '/avatar.svg' })
    if (first === 'storage' && second === 'library') return library(request, pathname, text, reply)
    if (
      request.headers.authorization !== `Bearer ${tokenOf(fourth ?? second ?? '')}` &&
      request.headers.authorization !== `Bearer ${tokenOf(second ?? '')}`
    ) {
      return reply(401, { code: 'unauthorized', error: 'unauthorized' })
    }
    if (pathname.endsWith('/editor'))
      return reply(200, { application: 'Line', team: 'Bakery', environment: behaviour.environment })
    if (pathname.endsWith('/editors')) {
      open.set(fourth ?? '', (JSON.parse(text) as { users: string[] }).users)
      return reply(200, {})
    }
    if (first === 'api') return reply(200, settingsOf(fourth ?? ''))
    if (first === 'logging') {
      audit.push({ instance: second, ...JSON.parse(text) })
      return reply(200, {})
    }
    const key = `${second}/${third}`
    if (request.method === 'GET') return reply(200, stored.get(key) ?? (third === 'flows' ? [] : {}))
    if (third === 'deploy') return deploy(second ?? '', JSON.parse(text) as Deployed, reply)
    stored.set(key, JSON.parse(text))
    return reply(200, stored.get(key))
  }

  /** Library of the team `team`: entries by their path, and one folder with all their names. */
  function library(request: IncomingMessage, pathname: string, text: string, reply: Reply): unknown {
    if (!request.headers.authorization?.startsWith('Bearer fft_')) return reply(401, { error: 'unauthorized' })
    const path = decodeURIComponent(pathname.replace('/storage/library/team/', ''))
    if (request.method === 'POST') {
      stored.set(`library/${path}`, JSON.parse(text))
      return reply(201, {})
    }
    const entry = stored.get(`library/${path}`) as { body: string } | undefined
    if (entry) return reply(200, JSON.parse(entry.body))
    const all = [...stored.keys()].flatMap((key) => (key.startsWith('library/') ? [{ fn: key.slice(8) }] : []))
    return reply(200, all)
  }

  function deploy(instance: string, { basis, flows, credentials, ...rest }: Deployed, reply: Reply): unknown {
    const current = revisionOf(stored.get(`${instance}/flows`) ?? [])
    if (rest.refused || basis !== current) {
      refused.push({ instance, flows, ...(rest.user ? { user: rest.user } : {}) })
      return rest.refused ? reply(200, { revision: current }) : reply(409, { code: 'flows_replaced', error: replaced })
    }
    stored.set(`${instance}/flows`, flows)
    if (credentials) stored.set(`${instance}/credentials`, credentials)
    return reply(200, { revision: revisionOf(flows) })
  }

  function settingsOf(id: string) {
    const { env, settings } = behaviour
    return {
      projectID: id,
      env,
      baseURL: 'http://instance.test',
      forgeURL: url,
      fileStore: null,
      teamID: 'team',
      storageURL: `${url}/storage`,
      auditURL: `${url}/logging`,
      state: 'running',
      stack: {},
      settings,
      features: behaviour.features,
      ...(behaviour.projectLink ? { projectLink: behaviour.projectLink } : {}),
      ...(behaviour.contextMb === undefined ? {} : { contextMb: behaviour.contextMb }),
      ...(behaviour.replicas > 1 ? { ha: { replicas: behaviour.replicas } } : {}),
    }
  }

  function account(call: string, query: URLSearchParams, body: URLSearchParams, reply: Reply): unknown {
    if (call === 'authorize') {
      const code = randomUUID()
      const state = query.get('state') ?? ''
      codes.set(code, {
        redirectUri: query.get('redirect_uri') ?? '',
        state,
        challenge: query.get('code_challenge') ?? '',
      })
      return reply(302, {}, { location: `${query.get('redirect_uri')}?code=${code}&state=${state}` })
    }
    if (body.get('grant_type') === 'refresh_token') {
      if (behaviour.refuseRefresh) return reply(400, { error: 'invalid_request' })
      behaviour.refreshed += 1
    } else if (body.get('grant_type') === 'editor_session') {
      if (behaviour.refuseResume || body.get('username') !== behaviour.username)
        return reply(400, { error: 'access_denied' })
    } else {
      const asked = codes.get(body.get('code') ?? '')
      const challenge = createHash('sha256')
        .update(body.get('code_verifier') ?? '')
        .digest('base64url')
      if (!asked || asked.challenge !== challenge || asked.redirectUri !== body.get('redirect_uri'))
        return reply(400, { error: 'invalid_request' })
    }
    return reply(200, {
      access_token: 'ffu_access',
      refresh_token: 'ffu_refresh',
      expires_in: behaviour.expiresIn,
      scope: behaviour.scope,
    })
  }

  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  url = `http://127.0.0.1:${port}`
  return { url, stored, audit, refused, open, behaviour, close, reopen: () => listen(port) }
}

/** The token an instance has to show. */
export const tokenOf = (id: string) => `fft_${id}`

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}
