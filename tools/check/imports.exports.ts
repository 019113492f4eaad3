import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import type { ImportGraph } from './imports.graph.ts'

/** Modules whose exports are read by a program that finds them by their path: migrations, set-ups, configurations. */
const readByOthers = /(^apps\/server\/migrations\/|\.setup\.ts$|^tools\/test\/vitest\.|(^|\/)\w+\.config\.ts$)/

type Name = { file: string; line: number; name: string }

/**
 * The values that a module exports and no other module imports. A type may be exported for whoever reads the signature
 * that it stands in. Of a module that is imported as a whole every export counts as used.
 */
export function unusedExports(root: string, graph: ImportGraph): Name[] {
  const targets = new Map(graph.edges.map(({ from, request, to }) => [`${from}\0${request}`, to]))
  const used = new Set<string>()
  const exported: Name[] = []
  for (const file of graph.modules) {
    const source = readFileSync(join(root, file), 'utf8')
    const { module, program } = parseSync(file, source)
    const use = (request: string, name: string) => used.add(`${targets.get(`${file}\0${request}`)}\0${name}`)
    const types = new Set(
      program.body.flatMap((node) =>
        node.type === 'ExportNamedDeclaration' && node.exportKind === 'type' ? [node.start] : [],
      ),
    )
    for (const { moduleRequest, entries } of module.staticImports)
      for (const { importName } of entries) use(moduleRequest.value, nameOf(importName))
    for (const { entries, start } of module.staticExports)
      for (const entry of entries) {
        if (entry.moduleRequest) use(entry.moduleRequest.value, nameOf(entry.importName))
        const name = entry.exportName.kind === 'Default' ? 'default' : entry.exportName.name
        if (name == null || entry.isType || types.has(start)) continue
        exported.push({ file, name, line: source.slice(0, entry.start).split('\n').length })
      }
    for (const { moduleRequest } of module.dynamicImports)
      use(source.slice(moduleRequest.start, moduleRequest.end).slice(1, -1), '*')
    for (const [, request = ''] of source.matchAll(/\bimport\('([^']+)'\)/g)) use(request, '*')
  }
  return exported.filter(
    ({ file, name }) => !readByOthers.test(file) && !used.has(`${file}\0${name}`) && !used.has(`${file}\0*`),
  )
}

const nameOf = (imported: { kind: string; name?: string | null }): string =>
  imported.kind === 'Default' ? 'default' : imported.kind === 'Name' ? (imported.name ?? '*') : '*'
