import * as z from 'zod/mini'
import { FlowNode } from './flows-report.ts'
import { ModuleName, ModuleVersion } from './settings-input.ts'

export const foreseenKinds = ['type', 'function', 'module', 'stack', 'variable', 'credentials', 'listener'] as const

const Module = z.object({ name: ModuleName, version: ModuleVersion })

/**
 * A problem known before the start. `type`: node types that the instance lacks; `function`: code that does not parse;
 * `module`: a module of functions that must not be installed; `stack`: a module or a snapshot that needs a newer
 * Node-RED or Node.js; `variable`: a variable without a value; `credentials`: nodes without their credentials;
 * `listener`: a port that another instance listens on.
 */
export const Foreseen = z.object({
  kind: z.enum(foreseenKinds),
  sentence: z.string(),
  /** The flows do not start with it. */
  stops: z.optional(z.literal(true)),
  /** The node in question, or the first of several. */
  node: z.optional(FlowNode),
  types: z.optional(z.array(z.string())),
  /** The module whose installation would solve the problem: see `install` of the call. */
  module: z.optional(Module),
})
export type Foreseen = z.infer<typeof Foreseen>

const isUnique = (list: readonly { name: string }[]) => new Set(list.map(({ name }) => name)).size === list.length

/** Modules to be installed together with a deployment. They are fetched before anything is touched. */
export const Install = z.optional(z.array(Module).check(z.maxLength(100), z.refine(isUnique, 'Each module once')))
export type Install = z.infer<typeof Install>

/**
 * Options of every kind of deployment. `allowStopped`: the person knows that the flows will not run and wants them
 * all the same; without it such flows are refused, and the former ones go on.
 */
export const Extras = { install: Install, allowStopped: z.optional(z.boolean()) }
export interface Extras {
  install?: Install
  allowStopped?: boolean | undefined
}
