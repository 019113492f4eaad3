import type * as z from 'zod/mini'
import type { AuditKey } from './audit.ts'
import type { ErrorCode } from './errors.ts'
import type { Scope } from './scopes.ts'
import type { Switch } from './switches.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The object a path parameter names; it is loaded and authorised in one step before the handler runs. */
export type Target = 'platform' | 'self' | 'team' | 'application' | 'pipeline' | 'instance' | 'device'

/**
 * The callers a route admits. Deny by default: a route without an entry does not exist.
 * - `public`: nobody needs to be signed in.
 * - `user`: any signed-in user, no scope; only in a browser unless `byToken` admits tokens too.
 * - `scope`: the permission table decides, for the object named by `target`; with `inBrowser` no token is accepted,
 *   since callers must be able to prove who they are.
 * - `program`: the bearer token of exactly the instance, or device, in the path.
 */
export type Access =
  | { kind: 'public' }
  | { kind: 'user'; whileLocked?: true; byToken?: true }
  | {
      kind: 'scope'
      scope: Scope
      target: Target
      whileLocked?: true
      wider?: Wider
      inBrowser?: true
      own?: true
      reach?: true
    }
  | { kind: 'program'; program: 'instance' | 'device' }

/** A second scope that a call needs unless its body stays within a schema. */
export interface Wider {
  scope: Scope
  unless: z.ZodMiniType
}

export const anyone = { kind: 'public' } as const
export const signedIn = { kind: 'user' } as const
/** Any signed-in user, with a token of whatever scopes as well: what everybody may know. */
export const signedInOrToken = { kind: 'user', byToken: true } as const
export const ownInstance = { kind: 'program', program: 'instance' } as const
export const ownDevice = { kind: 'program', program: 'device' } as const

/** Access by permission scope on the object that the path (or, for creates, the body) names. */
export function may<const S extends Scope, const T extends Target>(scope: S, target: T) {
  return { kind: 'scope', scope, target } as const
}

/** The same access, also for the person whom the path names by `userId`; for scopes that one has on oneself. */
export function orOwn<A extends Extract<Access, { kind: 'scope' }>>(access: A) {
  return { ...access, own: true } as const
}

/**
 * The same access to a team, also for limited members: the handler gets the applications that the caller sees, its
 * `reach`, and answers with nothing of others.
 */
export function withinReach<A extends Extract<Access, { kind: 'scope' }>>(access: A) {
  return { ...access, reach: true } as const
}

/** The same access for bodies within `unless`; any other needs `scope` as well. */
export function orWider<A extends Extract<Access, { kind: 'scope' }>>(access: A, scope: Scope, unless: z.ZodMiniType) {
  return { ...access, wider: { scope, unless } }
}

/** A verb as the first word of a summary. */
export const capital = (verb: string): string => verb.slice(0, 1).toUpperCase() + verb.slice(1)

/** The same access, also granted while the password or e-mail gate locks the session (SHELL-43). */
export function whileLocked<A extends Extract<Access, { kind: 'user' | 'scope' }>>(access: A) {
  return { ...access, whileLocked: true } as const
}

/** The same access for people in a browser alone, whatever scopes a token carries. */
export function inBrowser<A extends Extract<Access, { kind: 'scope' }>>(access: A) {
  return { ...access, inBrowser: true } as const
}

export interface Route {
  method: Method
  /** Fastify path; parameters are `:name`. */
  path: string
  summary: string
  access: Access
  params?: z.ZodMiniType
  query?: z.ZodMiniType
  body?: z.ZodMiniType
  /** Absent: the answer is empty, a redirect or a stream, as `summary` says. */
  reply?: z.ZodMiniType
  /** Refusals peculiar to this call; 401, 403, 404 and malformed 400 apply to all. */
  errors: readonly ErrorCode[]
  /** The audit event a success records. */
  audit?: AuditKey
  /** A request and its reply as they look on the wire, for the documentation page. */
  example?: { params?: unknown; body?: unknown; reply?: unknown }
  /** The body is a file of any size, `application/octet-stream`, which the handler reads as it comes. */
  upload?: true
  /** The handler gets the JSON body as the bytes that came, in a Buffer: it verifies a signature of them. */
  raw?: true
  /** Opened as a WebSocket: its handler takes the connection over. */
  socket?: true
  /** Posted by pages of other sites on purpose: an identity provider brings its answer. */
  crossOrigin?: true
  /** Works while the disk is full, as every read and every DELETE does: it is needed to make room. */
  whenDiskIsFull?: true
  /** Answered with `refusal` while the operator has switched one of these off; declared with `behind`. */
  switch?: { names: readonly Switch[]; refusal: ErrorCode }
  /** Largest accepted body in bytes; 64 KiB unless told. */
  bodyLimit?: number
}

/** Declares a route, keeping the literal types of its schemas. */
export function route<const R extends Route>(definition: R): R {
  return definition
}

type Out<S> = S extends { _zod: { output: infer Value } } ? Value : undefined
type In<S> = S extends { _zod: { input: infer Value } } ? Value : undefined
type Field<R, K extends keyof Route> = R extends { [P in K]: infer S } ? S : undefined

/** Parsed values, as a handler receives them. */
export type ParamsOf<R extends Route> = Out<Field<R, 'params'>>
export type QueryOf<R extends Route> = Out<Field<R, 'query'>>
export type BodyOf<R extends Route> = Out<Field<R, 'body'>>
export type ReplyOf<R extends Route> = Out<Field<R, 'reply'>>

/** Values as a client sends them. */
export type ParamsIn<R extends Route> = In<Field<R, 'params'>>
export type QueryIn<R extends Route> = In<Field<R, 'query'>>
export type BodyIn<R extends Route> = In<Field<R, 'body'>>
