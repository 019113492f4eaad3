import { type EnvEntry, envNameFault, envNameMax, envValueMax } from '@app/contract'

/** A variable while it is edited. `key` stays the same when its name changes. */
export interface Variable extends EnvEntry {
  key: string
  /** A secret that the server keeps and nobody can read back. */
  kept?: boolean
}

let next = 0
export const newKey = () => `new-${(next += 1)}`

export const toVariables = (env: readonly EnvEntry[]): Variable[] =>
  env.map((entry) => ({ ...entry, key: entry.name, ...(entry.encrypted ? { kept: true } : {}) }))

/** May the name or value be changed? Not what the platform gives, nor what the template locks [ENV-11] [ENV-15]. */
export const isFixed = ({ platform, deprecated, policy }: Variable) =>
  platform === true || deprecated === true || policy === false

function faultOf({ name, value }: Variable): string | undefined {
  if (name.length > envNameMax) return `At most ${envNameMax} characters`
  if (value.length > envValueMax) return `The value may have at most ${envValueMax.toLocaleString()} characters`
  return envNameFault(name)
}

/** Returns the errors of variables, by key [ENV-02] [ENV-03] [ENV-04]. */
export function faultsOfVariables(variables: readonly Variable[]): Record<string, string> {
  const seen = new Set<string>()
  const faults: Record<string, string> = {}
  for (const variable of variables) {
    const fault = isFixed(variable) ? undefined : faultOf(variable)
    if (fault) faults[variable.key] = fault
    else if (seen.has(variable.name)) faults[variable.key] = 'Duplicate name'
    seen.add(variable.name)
  }
  return faults
}

/**
 * Returns the variables to send, without those of the platform, blank or broken names [ENV-06], and those that the
 * template locks [ENV-10].
 */
export const toSend = (variables: readonly Variable[]) =>
  variables
    .filter((variable) => !isFixed(variable) && envNameFault(variable.name) === undefined)
    .map(({ name, value, encrypted }) => ({ name, value, ...(encrypted ? { encrypted: true as const } : {}) }))

/** A variable as a file gives it. */
export type Given = Pick<Variable, 'name' | 'value'>

/**
 * The variables in the text of a .env file: comments, `export`, quotes and \n in double quotes as usual. `lost`: the
 * numbers of lines, from 1, that hold something else.
 */
export function parseEnvFile(text: string): { found: Given[]; lost: number[] } {
  const pattern =
    /^\s*(?:export\s+)?([^\s=#]+)\s*=[ \t]*(?:"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|([^\r\n]*?))[ \t]*(?:#[^\r\n]*)?$/gm
  const found = [...text.matchAll(pattern)].map(([, name = '', double, single, plain]) => ({
    name,
    value: double?.replace(/\\n/g, '\n').replace(/\\(["\\$])/g, '$1') ?? single ?? plain ?? '',
  }))
  // Line breaks stay where a variable was read, so that the rest keeps its numbers.
  const rest = text.replace(pattern, (read) => read.replace(/[^\n]/g, '')).split('\n')
  const lost = rest.flatMap((line, at) => (/^\s*(#|$)/.test(line) ? [] : [at + 1]))
  return { found, lost }
}

/** The variables with those of a file put in: same names get the new value, unless they are fixed. */
export function withFile(variables: readonly Variable[], file: readonly Given[]): Variable[] {
  const given = new Map(file.map(({ name, value }) => [name, value]))
  const changed = variables.map((variable) => {
    const value = given.get(variable.name)
    given.delete(variable.name)
    return value === undefined || isFixed(variable) ? variable : { ...variable, value, kept: false }
  })
  return [...changed, ...[...given].map(([name, value]) => ({ key: newKey(), name, value }))]
}
