import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findCycles } from './imports.cycles.ts'
import { unusedExports } from './imports.exports.ts'
import { type Edge, type ImportGraph, readGraph } from './imports.graph.ts'
import { type ImportRule, importRules } from './imports.rules.ts'

export type Finding = { rule: string; message: string }

/** Every breach of the import rule below `root`. */
export function checkImports(root: string, graph: ImportGraph = readGraph(root)): Finding[] {
  const declared = declaredLibraries(root)
  return [
    ...graph.edges.flatMap((edge) => [...breachesOf(edge), ...declared(edge)]),
    ...findCycles(runtimeEdges(graph)).map((way) => ({ rule: 'no-cycles', message: way.join(' → ') })),
  ]
}

/**
 * The modules that version control lists and the reader did not read. A reader that silently reads
 * nothing finds nothing, and would pass for ever.
 */
export function unreadModules(root: string, graph: ImportGraph): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx'], { cwd: root })
  const read = new Set(graph.modules.filter((path) => !graph.unreadable.includes(path)))
  return listed
    .toString()
    .split('\n')
    .filter((path) => path !== '' && existsSync(join(root, path)) && !read.has(path))
}

function breachesOf(edge: Edge): Finding[] {
  const place = `${edge.from}:${edge.line} imports ${edge.to ?? edge.request}`
  const { to } = edge
  if (to === undefined) {
    return [{ rule: 'no-unresolvable', message: `${place}: no such module (write the extension, check "exports")` }]
  }
  return importRules
    .filter((rule) => breaks(rule, edge.from, to))
    .map((rule) => ({ rule: rule.name, message: `${place}: ${rule.instead}` }))
}

function breaks(rule: ImportRule, from: string, to: string): boolean {
  const groups = rule.from.exec(from)
  if (!groups || rule.fromNot?.test(from)) return false
  const matches = (pattern: string) => new RegExp(pattern.replace(/\$(\d)/g, (_, n) => groups[n] ?? '')).test(to)
  return matches(rule.to) && !(rule.toNot !== undefined && matches(rule.toNot))
}

/** npm lifts every library to the root, so an undeclared one works until somebody else drops it. */
function declaredLibraries(root: string): (edge: Edge) => Finding[] {
  const known = new Map<string, Set<string>>()
  const read = (folder: string): Set<string> => {
    const cached = known.get(folder)
    if (cached) return cached
    const file = join(root, folder, 'package.json')
    const above = folder === '.' ? new Set<string>() : read(dirname(folder))
    const own = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
    const names = new Set([...above, ...Object.keys({ ...own.dependencies, ...own.devDependencies })])
    known.set(folder, names)
    return names
  }
  return ({ from, line, to }) => {
    const library = /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(to ?? '')?.[1]
    if (library === undefined) return []
    const names = read(dirname(from))
    if (names.has(library) || names.has(`@types/${library}`)) return []
    const message = `${from}:${line} imports ${library}: add it to the package.json of its workspace`
    return [{ rule: 'libraries-are-declared', message }]
  }
}

/** Types vanish before anything runs, so a circle through them is harmless. */
function runtimeEdges(graph: ImportGraph): Map<string, string[]> {
  const next = new Map<string, string[]>(graph.modules.map((path) => [path, []]))
  for (const { from, to, typeOnly } of graph.edges) if (!typeOnly && to && next.has(to)) next.get(from)?.push(to)
  return next
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '../..')
  const graph = readGraph(root)
  const findings = checkImports(root, graph)
  const unread = unreadModules(root, graph)
  findings.push(
    ...unusedExports(root, graph).map(({ file, line, name }) => ({
      rule: 'no-unused-exports',
      message: `${file}:${line} exports ${name}, which no other module imports: drop the export`,
    })),
  )
  for (const { rule, message } of findings) console.error(`${rule}: ${message}`)
  for (const path of unread) console.error(`not-read: ${path} could not be read, so its imports are unknown`)
  const plausible = graph.modules.length > 0 && graph.edges.length >= graph.modules.length / 2
  if (!plausible) console.error(`implausible: ${graph.edges.length} imports in ${graph.modules.length} modules`)
  console.log(`${graph.modules.length} modules, ${graph.edges.length} imports, ${findings.length} breaches`)
  process.exitCode = findings.length + unread.length > 0 || !plausible ? 1 : 0
}
