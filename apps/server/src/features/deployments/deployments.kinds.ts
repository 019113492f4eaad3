import type { DeploymentKind } from '@app/contract'
import * as z from 'zod/mini'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Tx } from '../../platform/db/tables.ts'
import type { AuditSubject } from '../audit/index.ts'
import type { InstanceRow, WholeInstance } from '../instances/index.ts'
import type { Origin } from '../versions/index.ts'
import type { Held } from '../snapshots/index.ts'

/** An object and its name at the time, as memos and the audit log keep it. */
export const Named = z.object({ id: z.string(), name: z.string() })

/** On what an instance stands. */
export interface Ground {
  type_id: string
  stack_id: string
}
/** The parts that replace those of an instance; parts that are not named stay. */
export interface Brought {
  held: Partial<Held>
  /** With the properties of the stack and its label. */
  ground?: Ground & { properties: string; label: string }
  /** Modules that somebody wants installed together with it. */
  install?: readonly { name: string; version: string }[]
  /** Reasons that may keep its flows from running, since the person accepted them. */
  allowStopped?: readonly string[]
}

/** A request that was found and checked, and not begun yet. `memo` goes along to the end. */
export interface Plan<Memo> {
  brings: Brought
  /** Its name for people, as it goes on record. */
  what: string
  snapshotId?: string
  /** The Node-RED that it ran on, where that is known. */
  nodered?: string | undefined
  /** The instance it comes from. */
  source?: { id: string; name: string }
  memo: Memo
  /** Refuses, once more and for good, what was found right but is not any more. @throws Failure. */
  guard?(tx: Tx): Promise<void>
}

/** Result of a deployment, for the audit log; without an error it went well. */
export interface Ending<Memo> {
  actor: Actor
  memo: Memo
  auditScope: AuditSubject
  project: { id: string; name: string }
  error: { error?: { code: string; message: string } }
}

/** One kind of deployment. Everything else about it is the engine's. */
export interface Kind<Input, Memo> {
  kind: DeploymentKind
  /** The title of its job. */
  title: string
  /** The state the instance shows until it is stopped. */
  state: 'importing' | 'installing' | 'deploying'
  /** The shape of its memo, which its job keeps. */
  memo: z.ZodMiniType<Memo>
  /** @throws Failure for whatever is wrong with what was asked for. */
  read(instance: InstanceRow, input: Input, actor: Actor): Promise<Plan<Memo>>
  /** Fits the parts that were read to the instance as it is when they are written. */
  settle?(row: WholeInstance, held: Partial<Held>): Partial<Held>
  /** The origin of the version of the flows that it makes. */
  origin(memo: Memo): Pick<Origin, 'kind' | 'from'>
  /** The contents of before are kept as a snapshot, whose name begins so and goes on with the time and how it ran. */
  keeps(memo: Memo): { name: string; description: string }
  /** Are errors of its flows that those before did not have refused, whatever the instance says? */
  refusesErrors?(memo: Memo, targetId: string): Promise<boolean>
  /** The audit entry of its end. */
  record(tx: Tx, ending: Ending<Memo>): Promise<void>
}
