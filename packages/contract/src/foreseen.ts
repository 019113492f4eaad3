import * as z from 'zod/mini'
import { FlowNode } from './flows-report.ts'
import { ModuleName, ModuleVersion } from './settings-input.ts'

export const foreseenKinds = [
  'type',
  'function',
  'nodes',
  'module',
  'stack',
  'variable',
  'credentials',
  'listener',
] as const

const nameIt =
  'Name each reason to accept: “type:<node type>”, “module:<module>”, “function:<node ID>”, “reason:<word of Node-RED>” or “nodes”'
/**
 * Why flows do not run: a missing node type, a missing module of functions, a function that does not parse in an instance
 * that does not run, another reason as Node-RED calls it, or that none of the nodes works or is enabled.
 */
export const StopCode = z
  .string(nameIt)
  .check(z.maxLength(310), z.regex(/^((type|module|function|reason):.+|nodes)$/s, nameIt))

const Module = z.object({ name: ModuleName, version: ModuleVersion })

/**
 * A problem known before the start. `type`: node types that the instance lacks; `function`: code that does not parse;
 * `nodes`: no node is enabled, or one has nothing to work with;
 * `module`: a module of functions that must not be installed; `stack`: a module or a snapshot that needs a newer
 * Node-RED or Node.js; `variable`: a variable without a value; `credentials`: nodes without their credentials;
 * `listener`: a port that another instance listens on.
 */
export const Foreseen = z.object({
  kind: z.enum(foreseenKinds),
  sentence: z.string(),
  /** It is not deployed without a yes: the flows do not start with it, or are not started now to find out. */
  stops: z.optional(z.literal(true)),
  /** The reasons to name in `allowStopped` to deploy anyway. */
  codes: z.optional(z.array(StopCode)),
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

export const AllowStopped = z.optional(z.array(StopCode, nameIt).check(z.maxLength(400)))

/**
 * Options of every kind of deployment. `allowStopped`: reasons that keep the flows from running, which the person knows and
 * accepts. Flows that do not run for another reason are refused, and the former ones go on.
 */
export const Extras = {
  install: Install,
  allowStopped: AllowStopped,
}
export interface Extras {
  install?: Install
  allowStopped?: string[] | undefined
}
