import type { BodyIn, ErrorReply, Method, ParamsIn, QueryIn, ReplyOf, RouteId, Routes } from '@app/contract'

/** Method and path of every route, written by `npm run gen` so that a browser need not load the schemas. */
export type RouteMap = Record<RouteId, readonly [Method, string]>

type Part<Name extends string, Value> = Value extends undefined ? { [N in Name]?: undefined } : { [N in Name]: Value }
type OptionalPart<Name extends string, Value> = Value extends undefined
  ? { [N in Name]?: undefined }
  : { [N in Name]?: Value }

/** The input of a call: the path parameters and the body its route declares. */
export type CallInput<Id extends RouteId> = Part<'params', ParamsIn<Routes[Id]>> &
  OptionalPart<'query', QueryIn<Routes[Id]>> &
  Part<'body', BodyIn<Routes[Id]>> & { signal?: AbortSignal }

/**
 * Input and answer of each call. An interface costs the compiler a quarter of what working it out at each call would.
 */
interface Calls extends CallTable {}
type CallTable = {
  [Id in RouteId]: {
    args: Record<string, never> extends CallInput<Id> ? [input?: CallInput<Id>] : [input: CallInput<Id>]
    reply: ReplyOf<Routes[Id]>
  }
}

/** A refusal of the platform; match `code`, show `message`. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly fields: Record<string, string>
  /** The refusal as it stood on the wire; empty when the answer was none of the platform's own. */
  readonly reply: Partial<ErrorReply>

  constructor(status: number, reply: Partial<ErrorReply>) {
    super(reply.message ?? reply.error ?? `The server answered ${status}`)
    this.name = 'ApiError'
    this.status = status
    this.code = reply.code ?? 'unexpected_error'
    this.fields = reply.fields ?? {}
    this.reply = reply
  }
}

/** No answer at all: the server is away, or took longer than the time-out. */
export class NetworkError extends Error {
  override name = 'NetworkError'
}

export interface ClientOptions {
  routes: RouteMap
  /** Address of the platform; '' for the page's own. */
  baseUrl: string
  headers?: () => Record<string, string>
  /** Milliseconds before a call is given up. */
  timeout: number
  fetch?: typeof fetch
}

export interface Client {
  call<Id extends RouteId>(id: Id, ...input: Calls[Id]['args']): Promise<Calls[Id]['reply']>
}

/** The address of a route with its parameters filled in and encoded. */
export function addressOf(
  path: string,
  params: Record<string, unknown> = {},
  query: Record<string, unknown> = {},
): string {
  const filled = path
    .replace(/:(\w+)/g, (_match, name: string) => encodeURIComponent(String(params[name])))
    .replace(/\*$/, () => String(params['*']).split('/').map(encodeURIComponent).join('/'))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (one !== undefined) search.append(name, `${one as string | number | boolean}`)
  }
  const text = search.toString()
  return text ? `${filled}?${text}` : filled
}

/**
 * Calls any route of the contract by its id, with types.
 * @throws ApiError for a refusal, NetworkError when nobody answers.
 */
export function createClient({ routes, baseUrl, headers, timeout, fetch: send = fetch }: ClientOptions): Client {
  async function call(id: RouteId, input: AnyInput = {}): Promise<unknown> {
    const { params, query, body, signal } = input
    const [method, path] = routes[id]
    const withBody = body !== undefined
    let response: Response
    try {
      response = await send(baseUrl + addressOf(path, params, query), {
        method,
        headers: {
          accept: 'application/json',
          ...(withBody ? { 'content-type': 'application/json' } : {}),
          ...headers?.(),
        },
        signal: AbortSignal.any([AbortSignal.timeout(timeout), ...(signal ? [signal] : [])]),
        ...(withBody ? { body: JSON.stringify(body) } : {}),
      })
    } catch (error) {
      if (signal?.aborted) throw error
      throw new NetworkError('No answer from the server', { cause: error })
    }
    const text = await response.text()
    if (!response.ok) throw new ApiError(response.status, parsed(text) ?? {})
    return isPlainText(response) ? text : parsed(text)
  }
  return { call: call as Client['call'] }
}

interface AnyInput {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
  signal?: AbortSignal
}

/** Text stays as it is, even when it happens to be valid JSON. */
const isPlainText = (response: Response) => response.headers.get('content-type')?.startsWith('text/plain') === true

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
