import type { Scope, Target } from '@app/contract'
import type { FastifyRequest } from 'fastify'
import { fail } from '../http/failure.ts'
import type { Actor, Program, ProgramKind } from './actor.ts'
import type { LoadedTarget } from './authorize.ts'

/** The question of a call by scope: may the caller do this to that? */
export interface Asked {
  scope: Scope
  target: Target
  loaded: LoadedTarget | undefined
}

/** Rules for judging the calls of one kind of program. Its feature declares them under `callers`. */
export interface CallerRules<K extends ProgramKind = ProgramKind> {
  /** Judges a call by scope; returns the role that the program has there. @throws Failure for what it may not do. */
  judge(actor: Program<K>, asked: Asked): number
  /** Judges a call that is for this kind of program alone, whoever makes it. @throws Failure unless the path names the caller. */
  admit?(actor: Actor, keys: Record<string, string | undefined>, request: FastifyRequest): void
  /** Names the target of a call whose body leaves it out. */
  names?(actor: Program<K>): Record<string, string>
}

/** The rules of every kind of program, by its name. */
export type Callers = Readonly<Record<string, CallerRules | undefined>>

/** Lets a program use a few scopes in the team that it belongs to. @throws Failure not_found in other teams, unauthorized for other scopes. */
export function checkScopeInTeam({ teamId }: { teamId: string }, carried: readonly Scope[], asked: Asked): void {
  const inTeam = asked.target !== 'platform' && asked.target !== 'self'
  if (inTeam && asked.loaded?.teamId !== teamId) throw fail('not_found')
  if (!inTeam || !carried.includes(asked.scope)) throw fail('unauthorized', undefined, { status: 403 })
}
