import { ModuleName, ModuleVersion } from '@app/contract'
import { isBuiltin } from 'node:module'

/** A module that a function asks for. */
export interface FunctionModule {
  name: string
  /** The versions it asks for, where it names some. */
  range?: string
  /** The first function that asks for it. */
  node: { id: string; name?: string }
}

/** Reads `nanoid@3`, `@scope/name` and `name/path` as Node-RED does. */
const specPattern = /^((?:@[^/]+\/)?[^/@]+)(?:\/[^@]+)?(?:@([\s\S]+))?$/

/** Most flows use none, and reading large ones takes time. */
const mayHave = /"libs"\s*:\s*\[\s*\{/

/**
 * The modules of the registry that functions of these flows ask for, each once: Node-RED installs the version that the
 * first one names, and looks at no node that is switched off.
 */
export function modulesOfFunctions(flows: string | undefined): FunctionModule[] {
  if (flows === undefined || !mayHave.test(flows)) return []
  const nodes = JSON.parse(flows) as unknown
  const found = new Map<string, FunctionModule>()
  for (const node of Array.isArray(nodes) ? (nodes as Record<string, unknown>[]) : []) {
    const { id, type, name, libs, d } = node ?? {}
    if (type !== 'function' || d === true || !Array.isArray(libs)) continue
    for (const lib of libs as ({ module?: unknown } | null)[]) {
      const parsed = parse(lib?.module)
      if (!parsed || found.has(parsed.name)) continue
      found.set(parsed.name, {
        ...parsed,
        node: { id: String(id), ...(typeof name === 'string' && name !== '' ? { name } : {}) },
      })
    }
  }
  return [...found.values()]
}

function parse(spec: unknown): Pick<FunctionModule, 'name' | 'range'> | undefined {
  if (typeof spec !== 'string') return undefined
  const [, name = '', range] = specPattern.exec(spec.trim()) ?? []
  if (isBuiltin(name) || !ModuleName.safeParse(name).success) return undefined
  return { name, ...(range && ModuleVersion.safeParse(range).success ? { range } : {}) }
}
