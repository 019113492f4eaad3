import { existsSync, globSync, readFileSync, realpathSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'
import { ResolverFactory } from 'oxc-resolver'

/** One import of one module. `to` is absent when nothing was found under that name. */
export type Edge = { from: string; line: number; request: string; to?: string; typeOnly: boolean }
export type ImportGraph = { modules: string[]; unreadable: string[]; edges: Edge[] }

const places = '{packages,apps,e2e,bench,tools}/**/*.{ts,tsx}'
const skipped = /(^|\/)(node_modules|dist|\.cache)(\/|$)/

/** Reads every TypeScript module below `root` and resolves what each imports; paths are relative to `root`. */
export function readGraph(root: string): ImportGraph {
  const base = realpathSync(root)
  const resolver = new ResolverFactory({
    conditionNames: ['node', 'import', 'browser', 'types', 'default'],
    mainFields: ['module', 'main', 'types'],
    extensions: ['.js', '.json', '.d.ts'],
  })
  const modules = globSync([places, '*.ts'], { cwd: base, exclude: (path) => skipped.test(path) })
    .filter((path) => !skipped.test(path))
    .sort()
  const graph: ImportGraph = { modules, unreadable: [], edges: [] }
  for (const from of modules) {
    const found = readRequests(join(base, from))
    if (found === undefined) graph.unreadable.push(from)
    for (const request of found ?? []) graph.edges.push({ from, ...request, ...target(base, from, request.request) })
  }
  return graph

  function target(folder: string, from: string, written: string): { to?: string } {
    if (isBuiltin(written)) return { to: `node:${written.replace(/^node:/, '')}` }
    const request = written.replace(/\?.*$/, '')
    // The resolver tries extensions of relative names too; Node.js and the browser do not.
    if (request.startsWith('.') && !existsSync(join(folder, dirname(from), request))) return {}
    const { path } = resolver.sync(join(folder, dirname(from)), request)
    return path === undefined ? {} : { to: relative(folder, path).replace(/^.*node_modules\//, 'node_modules/') }
  }
}

type Request = { request: string; line: number; typeOnly: boolean }

/** The imports written in one file, or undefined when it does not parse. */
function readRequests(file: string): Request[] | undefined {
  const source = readFileSync(file, 'utf8')
  const parsed = parseSync(file, source)
  if (parsed.errors.length > 0) return undefined
  const found: Request[] = []
  const add = (request: string, at: number, typeOnly: boolean) =>
    found.push({ request, line: source.slice(0, at).split('\n').length, typeOnly })

  for (const one of parsed.module.staticImports)
    add(one.moduleRequest.value, one.start, one.entries.length > 0 && one.entries.every((entry) => entry.isType))
  for (const one of parsed.module.staticExports)
    for (const entry of one.entries) if (entry.moduleRequest) add(entry.moduleRequest.value, one.start, entry.isType)
  for (const { moduleRequest, start } of parsed.module.dynamicImports) {
    // Only a literal names a module; what is computed cannot be checked here.
    const literal = /^(['"`])([^'"`$]+)\1$/.exec(source.slice(moduleRequest.start, moduleRequest.end))
    if (literal?.[2]) add(literal[2], start, false)
  }
  if (source.includes('import('))
    new Visitor({ TSImportType: (node) => add(node.source.value, node.start, true) }).visit(parsed.program)
  return found
}
