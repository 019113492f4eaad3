import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { unusedExports } from './imports.exports.ts'
import { readGraph } from './imports.graph.ts'
import { importRules, readerRules } from './imports.rules.ts'
import { checkImports, unreadModules } from './imports.ts'

const trees: string[] = []
afterEach(() => {
  for (const tree of trees.splice(0)) rmSync(tree, { recursive: true })
})

const server = 'apps/server/src/'

/** A small product in which every import is allowed. */
const correct = {
  'package.json': '{"devDependencies":{"vitest":"1"}}',
  'node_modules/zod/package.json': '{"name":"zod","exports":"./index.js"}',
  'node_modules/zod/index.js': 'export const z = 1',
  'node_modules/left/package.json': '{"name":"left","main":"index.js"}',
  'node_modules/left/index.js': 'export const left = 1',
  'node_modules/vitest/package.json': '{"name":"vitest","main":"index.js"}',
  'node_modules/vitest/index.js': 'export const test = 1',
  'packages/contract/package.json': '{"exports":{".":"./src/index.ts"},"dependencies":{"zod":"1"}}',
  'packages/contract/src/index.ts': "export * from 'zod'",
  'packages/client/package.json': '{"exports":{".":"./src/client.ts"}}',
  'packages/client/src/client.ts': "import '@app/contract'",
  'packages/nodered/package.json': '{"exports":{".":"./src/process.ts"}}',
  'packages/nodered/src/process.ts': "import '@app/contract'\nimport 'node:http'",
  'packages/drivers/package.json':
    '{"exports":{".":"./src/driver.ts","./local":"./src/local/index.ts","./conformance":"./src/conformance.ts"}}',
  'packages/drivers/src/driver.ts': "import '@app/contract'",
  'packages/drivers/src/conformance.ts': "import 'vitest'\nimport './driver.ts'",
  'packages/drivers/src/local/index.ts': "import '../driver.ts'",
  'packages/drivers/src/stub/index.ts': "import '../driver.ts'",
  'apps/server/package.json': '{"exports":{"./testing":"./testing/index.ts"}}',
  'apps/server/testing/index.ts': "import '../src/app.ts'\nimport '@app/drivers/local'",
  [`${server}app.ts`]: "import './features/teams/index.ts'\nimport './platform/log.ts'",
  [`${server}drivers.ts`]: "import '@app/drivers/local'",
  [`${server}platform/log.ts`]: "import '@app/contract'",
  [`${server}features/teams/index.ts`]: "import './teams.routes.ts'",
  [`${server}features/teams/teams.routes.ts`]: "import './teams.service.ts'",
  [`${server}features/teams/teams.service.ts`]: "import './teams.store.ts'\nimport '../audit/index.ts'",
  [`${server}features/teams/teams.store.ts`]: "import '../../platform/log.ts'",
  [`${server}features/teams/teams.test.ts`]: "import 'vitest'\nimport '../../../testing/index.ts'",
  [`${server}features/audit/index.ts`]: "import '../../platform/log.ts'",
  [`${server}features/audit/audit.store.ts`]: "import type { X } from './index.ts'",
  'apps/web/src/main.ts': "import './features/teams/index.ts'\nimport '@app/client'\nimport('./ui/button.ts')",
  'apps/web/src/features/teams/index.ts': "import '../../ui/button.ts'",
  'apps/web/src/ui/button.ts': 'export const button = 1',
  'apps/agent/src/main.ts': "import '@app/drivers/local'\nimport '@app/contract'",
  'apps/instance-runtime/src/main.ts': "import '@app/nodered'\nimport '@app/client'",
  'e2e/sign-in.test.ts': "import '@app/server/testing'",
  'tools/gen/gen.ts': "import '@app/contract'",
}

/** One line added to a module of the correct product, for each rule; several where a rule has several faces. */
const planted: [rule: string, file: string, line: string][] = [
  ['no-unresolvable', `${server}app.ts`, "import './missing.ts'"],
  ['no-unresolvable', `${server}app.ts`, "import './platform/log'"],
  ['no-unresolvable', `${server}app.ts`, "import '@app/contract/src/index.ts'"],
  ['no-cycles', `${server}platform/log.ts`, "import '../app.ts'\nexport const late = () => import('../drivers.ts')"],
  ['no-cycles', `${server}features/teams/teams.store.ts`, "import './teams.service.ts'"],
  ['libraries-are-declared', `${server}app.ts`, "import 'left'"],
  ['contract-is-pure', 'packages/contract/src/index.ts', "import 'node:fs'"],
  ['contract-is-pure', 'packages/contract/src/index.ts', "import '@app/client'"],
  ['packages-never-import-apps', 'packages/client/src/client.ts', "import '../../../apps/web/src/ui/button.ts'"],
  ['packages-know-only-the-contract', 'packages/nodered/src/process.ts', "import type { X } from '@app/drivers'"],
  ['server-does-not-run-node-red', `${server}app.ts`, "export * from '@app/nodered'"],
  ['runtime-needs-no-drivers', 'apps/instance-runtime/src/main.ts', "import '@app/drivers'"],
  ['agent-runs-local-processes', 'apps/agent/src/main.ts', "import '@app/nodered'"],
  ['drivers-are-strangers', 'packages/drivers/src/stub/index.ts', "import '../local/index.ts'"],
  ['apps-are-strangers', 'apps/instance-runtime/src/main.ts', "import '../../server/src/app.ts'"],
  ['platform-knows-no-feature', `${server}platform/log.ts`, "type T = import('../features/teams/index.ts').T"],
  ['features-meet-at-the-door', `${server}features/teams/teams.service.ts`, "import '../audit/audit.store.ts'"],
  ['features-meet-at-the-door', 'apps/web/src/features/audit/index.ts', "import '../teams/teams.queries.ts'"],
  ['support-features-stay-below', `${server}features/audit/audit.store.ts`, "import '../teams/index.ts'"],
  ['routes-do-not-touch-the-store', `${server}features/teams/teams.routes.ts`, "import './teams.store.ts'"],
  ['drivers-chosen-in-one-place', `${server}features/teams/teams.service.ts`, "import '@app/drivers/local'"],
  ['web-is-a-browser', 'apps/web/src/main.ts', "import '@app/drivers'"],
  ['web-is-a-browser', 'apps/web/src/main.ts', "import 'fs'"],
  ['web-ui-is-generic', 'apps/web/src/ui/button.ts', "import type { T } from '../features/teams/index.ts'"],
  ['harness-uses-the-testing-door', 'e2e/sign-in.test.ts', "import '../apps/server/src/app.ts'"],
  ['no-testing-in-product', `${server}app.ts`, "import type { T } from '../testing/index.ts'"],
  ['no-testing-in-product', `${server}app.ts`, "import '@app/drivers/conformance'"],
  ['tools-stay-outside', `${server}app.ts`, "import '../../../tools/gen/gen.ts'"],
]

function plant(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'imports-'))
  trees.push(root)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  mkdirSync(join(root, 'node_modules/@app'))
  for (const name of ['contract', 'client', 'nodered', 'drivers'])
    symlinkSync(`../../packages/${name}`, join(root, 'node_modules/@app', name))
  symlinkSync('../../apps/server', join(root, 'node_modules/@app/server'))
  return root
}

test('a product that keeps the rule has no finding, and all of it is read', () => {
  const root = plant(correct)
  const sources = Object.keys(correct).filter((name) => name.endsWith('.ts'))
  expect(readGraph(root).modules).toEqual(sources.sort())
  expect(checkImports(root)).toEqual([])
})

test.each(planted)('%s is reported for %s: %s', (rule, file, line) => {
  const before = correct[file as keyof typeof correct] ?? ''
  const extra = { 'apps/web/src/features/teams/teams.queries.ts': 'export const teams = 1' }
  const found = checkImports(plant({ ...correct, ...extra, [file]: `${before}\n${line}\n` }))
  expect(found.map((finding) => finding.rule)).toContain(rule)
  expect(found.find((finding) => finding.rule === rule)?.message).toContain(file)
})

test('every rule has a planted breach', () => {
  const rules = [...readerRules, ...importRules.map((rule) => rule.name)]
  expect([...new Set(planted.map(([rule]) => rule))].sort()).toEqual(rules.sort())
})

test('a circle of two modules is one finding', () => {
  const root = plant({ ...correct, 'tools/a.ts': "import './b.ts'", 'tools/b.ts': "import './a.ts'" })
  expect(checkImports(root)).toEqual([{ rule: 'no-cycles', message: 'tools/a.ts → tools/b.ts → tools/a.ts' }])
})

test('a module that cannot be read, or that the reader does not look for, is named', () => {
  const root = plant({ ...correct, 'tools/broken.ts': 'import {{', 'elsewhere/a.ts': '' })
  execFileSync('git', ['init', '-q'], { cwd: root })
  expect(unreadModules(root, readGraph(root)).sort()).toEqual(['elsewhere/a.ts', 'tools/broken.ts'])
})

test('an exported value that no other module imports is named, by its own name or passed on; a type is not', () => {
  const root = plant({
    'tools/a.ts': "import { used } from './b.ts'\nimport * as all from './c.ts'\nvoid import('./d.ts')",
    'tools/b.ts': "export const used = 1\nexport const mine = 2\nexport type Mine = 3\nexport { passed } from './e.ts'",
    'tools/c.ts': 'export const one = 1',
    'tools/d.ts': 'export function two() {}',
    'tools/e.ts': 'export const passed = 1\nexport default class {}',
    'vitest.config.ts': 'export default {}',
    'node_modules/left/index.js': '',
  })
  const found = unusedExports(root, readGraph(root)).map(({ file, line, name }) => `${file}:${line} ${name}`)
  expect(found).toEqual(['tools/b.ts:2 mine', 'tools/b.ts:4 passed', 'tools/e.ts:2 default'])
})
