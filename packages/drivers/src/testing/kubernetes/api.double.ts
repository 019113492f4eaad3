import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createObjects, Refusal, selectorOf, type Stored } from './objects.double.ts'
import { isAllowed, ownRules, type Rule } from './rights.double.ts'
import { faultsOf } from './schemas.ts'

const bookmarkMs = 200
const againMs = 100
const namespace = 'flowforge'

/** The kinds that the double keeps, by the group and name of their collection. */
const kinds: Record<string, { apiVersion: string; kind: string }> = {
  '/pods': { apiVersion: 'v1', kind: 'Pod' },
  '/secrets': { apiVersion: 'v1', kind: 'Secret' },
  '/events': { apiVersion: 'v1', kind: 'Event' },
  'policy/poddisruptionbudgets': { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
}

interface Call {
  group: string
  plural: string
  name?: string | undefined
  part?: string | undefined
  query: URLSearchParams
}

/**
 * A double of the API server of Kubernetes, on a port of this machine. It is none: it keeps the kinds that the driver uses,
 * and the rules of the API that matter to it, which are those of `createObjects`; it asks for a token over TLS, allows what
 * the role of our installation allows, and takes no object that the published schemas refuse.
 */
export async function startApiDouble({ rules = ownRules() }: { rules?: readonly Rule[] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'forge-cluster-'))
  const { certFile, keyFile } = makeCertificate(folder)
  const token = randomBytes(16).toString('hex')
  const objects = createObjects()
  const sockets = new Set<Duplex>()
  const watches = new Set<ServerResponse>()
  const calls: string[] = []
  /** The answer of nodes about logs. */
  let logOf: (pod: string, lines: number | undefined) => string = () => ''

  const server = createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) }, (request, response) => {
    void answer(request, response).catch((error: unknown) => {
      const { code = 500, reason = 'InternalError', message } = error as Partial<Refusal>
      const status = { apiVersion: 'v1', kind: 'Status', status: 'Failure', message, reason, code }
      reply(response, code, status)
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers.authorization !== `Bearer ${token}`) throw new Refusal(401, 'Unauthorized', 'Unauthorized')
    const call = callOf(request.url!)
    const verb = verbOf(request.method!, call)
    const { group, plural, name, part, query } = call
    calls.push(`${verb} ${plural}${part === undefined ? '' : `/${part}`}`)
    const resource = part === undefined ? plural : `${plural}/${part}`
    if (!isAllowed(rules, { verb, group, resource }))
      throw new Refusal(
        403,
        'Forbidden',
        `${resource} is forbidden: User "system:serviceaccount:${namespace}:flowforge" cannot ${verb} resource "${resource}" in API group "${group}" in the namespace "${namespace}"`,
      )
    const known = kinds[`${group}/${plural}`]
    if (!known) throw new Refusal(404, 'NotFound', 'the server could not find the requested resource')
    const collection = `${plural}/${namespace}`
    const selector = selectorOf(query.get('labelSelector') ?? '')
    if (verb === 'watch') return watch(response, collection, query, known)
    if (part === 'log') {
      const text = readLog(name!, query)
      return void response.writeHead(200, { 'content-type': 'text/plain' }).end(text)
    }
    if (verb === 'get') return reply(response, 200, objects.get(collection, name!))
    if (verb === 'list') {
      const { items, resourceVersion } = objects.list(collection, selector)
      const shown = items.filter((item) => hasFields(item, query.get('fieldSelector') ?? ''))
      const list = {
        apiVersion: known.apiVersion,
        kind: `${known.kind}List`,
        metadata: { resourceVersion },
        items: shown,
      }
      return reply(response, 200, list)
    }
    const body = JSON.parse((await textOf(request)) || '{}') as Stored
    if (verb === 'delete') return reply(response, 200, remove(collection, name!, body, query))
    await check({ ...known, ...body }, verb)
    if (verb === 'create') return reply(response, 201, objects.create(collection, complete({ ...known, ...body })))
    return reply(response, 200, (part === 'status' ? objects.updateStatus : objects.update)(collection, name!, body))
  }

  function readLog(name: string, query: URLSearchParams): string {
    objects.get(`pods/${namespace}`, name)
    return logOf(name, query.has('tailLines') ? Number(query.get('tailLines')) : undefined)
  }

  /** A pod that is on no node, or has ended, is gone at once; every other waits for its node. */
  function remove(collection: string, name: string, body: unknown, query: URLSearchParams): Stored {
    const { gracePeriodSeconds, preconditions = {} } = body as {
      gracePeriodSeconds?: number
      preconditions?: { uid?: string; resourceVersion?: string }
    }
    const object = objects.get(collection, name)
    if (!collection.startsWith('pods/')) return objects.remove(collection, name, preconditions)
    const given = query.get('gracePeriodSeconds')
    const usual = object.spec.terminationGracePeriodSeconds ?? 30
    const wanted = gracePeriodSeconds ?? (given === null ? usual : Number(given))
    const isFinished =
      object.spec.nodeName === undefined || ['Succeeded', 'Failed'].includes(object.status?.phase ?? '')
    return objects.remove(collection, name, { ...preconditions, seconds: isFinished ? 0 : wanted })
  }

  function watch(response: ServerResponse, collection: string, query: URLSearchParams, known: object): void {
    const selector = selectorOf(query.get('labelSelector') ?? '')
    response.writeHead(200, { 'content-type': 'application/json' })
    response.flushHeaders()
    const send = (event: object) => void response.write(`${JSON.stringify(event)}\n`)
    try {
      const stop = objects.watch(collection, query.get('resourceVersion') ?? '', (change) => {
        const { labels = {} } = change.object.metadata
        if (Object.entries(selector).every(([name, value]) => labels[name] === value)) send(change)
      })
      const marks = setInterval(() => {
        const object = { ...known, metadata: { resourceVersion: objects.version, creationTimestamp: null } }
        if (query.get('allowWatchBookmarks') === 'true') send({ type: 'BOOKMARK', object })
      }, bookmarkMs)
      watches.add(response)
      response.on('close', () => {
        watches.delete(response)
        clearInterval(marks)
        stop()
      })
    } catch (error) {
      const { code, reason, message } = error as Refusal
      send({ type: 'ERROR', object: { apiVersion: 'v1', kind: 'Status', status: 'Failure', code, reason, message } })
      response.end()
    }
  }

  let port = 0
  /** On the port of before, which another process of a busy machine may have for a while after `shut`. */
  async function listen(): Promise<void> {
    for (;;) {
      const begun = Promise.withResolvers<boolean>()
      const refused = (error: NodeJS.ErrnoException) =>
        error.code === 'EADDRINUSE' ? begun.resolve(false) : begun.reject(error)
      server.once('error', refused)
      server.listen(port, '127.0.0.1', () => begun.resolve(true))
      const isBegun = await begun.promise.finally(() => server.off('error', refused))
      if (isBegun) break
      await delay(againMs)
    }
    port = (server.address() as AddressInfo).port
  }
  await listen()
  const kubeconfig = join(folder, 'config')
  writeFileSync(kubeconfig, kubeconfigText(`https://127.0.0.1:${port}`, readFileSync(certFile, 'base64'), token))

  return {
    objects,
    namespace,
    kubeconfig,
    token,
    server: `https://127.0.0.1:${port}`,
    /** The calls so far, such as `create pods`. */
    calls,
    setLogs(read: typeof logOf): void {
      logOf = read
    },
    /** Ends all watches, as a balancer before the API server does now and then. */
    dropWatches(): void {
      for (const response of watches) response.destroy()
    },
    /** The API server is away: nobody connects, and what stood is closed. */
    async shut(): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
    listen,
    isListening: () => server.listening,
    async close(): Promise<void> {
      if (server.listening) await this.shut()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export type ApiDouble = Awaited<ReturnType<typeof startApiDouble>>

function callOf(url: string): Call {
  const { pathname, searchParams: query } = new URL(url, 'https://api.test')
  const match =
    /^\/(?:api\/v1|apis\/(?<group>[^/]+)\/[^/]+)\/namespaces\/(?<space>[^/]+)\/(?<plural>[^/]+)(?:\/(?<name>[^/]+)(?:\/(?<part>[^/]+))?)?$/.exec(
      pathname,
    )
  const { group = '', space, plural = '', name, part } = match?.groups ?? {}
  if (!match || space !== namespace) throw new Refusal(404, 'NotFound', `There is no ${pathname}`)
  return { group, plural, name, part, query }
}

function verbOf(method: string, { name, query }: Call): string {
  if (method === 'GET') return query.get('watch') === 'true' ? 'watch' : name === undefined ? 'list' : 'get'
  return { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' }[method] ?? method
}

async function check(body: Stored, verb: string): Promise<void> {
  const faults = await faultsOf(body)
  if (verb === 'create' && !/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(body.metadata.name ?? ''))
    faults.push('/metadata/name is no name')
  for (const [name, value] of Object.entries(body.metadata.labels ?? {}))
    if (!/^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/.test(value))
      faults.push(`/metadata/labels/${name} is wrong`)
  if (faults.length > 0)
    throw new Refusal(422, 'Invalid', `${body.kind} "${body.metadata.name}" is invalid: ${faults.join('; ')}`)
}

/** An object with all that the API server adds to it. */
function complete(body: Stored): Stored {
  if (body.kind === 'Pod') return { ...body, status: { phase: 'Pending' } }
  if (body.kind !== 'Secret') return body
  const { stringData, data, ...rest } = body
  const added = Object.entries(stringData ?? {}).map(([name, text]) => [
    name,
    Buffer.from(String(text)).toString('base64'),
  ])
  return { ...rest, data: { ...(data as object), ...Object.fromEntries(added) } }
}

/** Reads `involvedObject.uid=…,type=Warning`. */
const hasFields = (item: Stored, text: string) =>
  Object.entries(selectorOf(text)).every(
    ([path, value]) =>
      path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], item) ===
      value,
  )

const reply = (response: ServerResponse, status: number, body: object) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

async function textOf(request: IncomingMessage): Promise<string> {
  return Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString()
}

function makeCertificate(folder: string): { certFile: string; keyFile: string } {
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', keyFile, '-out', certFile]
  const subject = ['-subj', '/CN=kubernetes', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '9']
  execFileSync('openssl', ['req', '-x509', ...made, ...subject], { stdio: 'ignore' })
  return { certFile, keyFile }
}

const kubeconfigText = (server: string, ca: string, token: string) => `apiVersion: v1
kind: Config
current-context: double
clusters:
  - name: double
    cluster:
      server: ${server}
      certificate-authority-data: ${ca}
users:
  - name: platform
    user:
      token: ${token}
contexts:
  - name: double
    context:
      cluster: double
      user: platform
`
