import type { BodyOf, ParamsOf, QueryOf, ReplyOf, RouteId, Routes } from '@app/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor, Program, ProgramKind, UserActor } from '../authz/actor.ts'
import type { Reach } from '../authz/reach.ts'

/** The loaded target of each kind. Features declare theirs by declaring this interface again. */
export interface Targets {
  platform: unknown
  self: unknown
}

/** The role of the caller on a loaded target: a team role, 99 for an administrator. */
export interface Loaded {
  teamId: string
  role: number
}

export interface Context {
  actor: Actor
  request: FastifyRequest
  reply: FastifyReply
}

type TargetOf<R> = R extends { access: { kind: 'scope'; target: infer T extends keyof Targets } } ? Targets[T] : unknown
/** Handlers of calls that limited members may make answer within the reach of the caller. */
type ReachOf<R> = R extends { access: { reach: true } } ? { reach: Reach } : unknown
type ActorOf<R> = R extends { access: { kind: 'public' } }
  ? Actor
  : R extends { access: { kind: 'program'; program: infer K extends ProgramKind } }
    ? Program<K>
    : R extends { access: { kind: 'user' } | { target: 'self' } }
      ? UserActor
      : Actor

/** A handler turns a request into plain arguments for a service: parsed input, the actor, the loaded target. */
export type Handler<Id extends RouteId> = (
  context: Context & { actor: ActorOf<Routes[Id]> } & TargetOf<Routes[Id]> & ReachOf<Routes[Id]>,
  input: { params: ParamsOf<Routes[Id]>; query: QueryOf<Routes[Id]>; body: BodyOf<Routes[Id]> },
) => Promise<ReplyOf<Routes[Id]> | void>

/** The handlers of one noun; a missing one is a compile error. */
export type Handlers<Ids extends RouteId> = { [Id in Ids]: Handler<Id> }
