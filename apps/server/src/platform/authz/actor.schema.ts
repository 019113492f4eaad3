import * as z from 'zod/mini'
import type { Actor, Program, ProgramKind, UserActor } from './actor.ts'

const Person: z.ZodMiniType<UserActor> = z.object({
  kind: z.literal('user'),
  userId: z.string(),
  username: z.string(),
  name: z.string(),
  admin: z.boolean(),
  locked: z.boolean(),
  lacksSecondFactor: z.exactOptional(z.boolean()),
  via: z.union([
    z.object({ session: z.string() }),
    z.object({
      token: z.string(),
      scopes: z.array(z.string()),
      name: z.exactOptional(z.string()),
      targetId: z.exactOptional(z.string()),
    }),
  ]),
  address: z.string(),
})

const known = new Set(['user', 'anonymous', 'system'])
const AnyProgram = z.object({ kind: z.string().check(z.refine((kind) => !known.has(kind))), address: z.string() })

/** The actor of a kept job. The fields of a program are known to its feature alone, and are passed on unread. */
export const ActorSchema: z.ZodMiniType<Actor> = z.union([
  Person,
  z.object({ kind: z.literal('system'), address: z.string() }),
  z.object({
    kind: z.literal('anonymous'),
    address: z.string(),
    unknown: z.exactOptional(z.custom<ProgramKind>((kind) => typeof kind === 'string')),
  }),
  z.custom<Program>((value) => AnyProgram.safeParse(value).success),
])
