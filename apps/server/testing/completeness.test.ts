import { auditEvents, errors, type Route, type RouteId, reportedEvents, routes } from '@app/contract'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openServer } from './index.ts'

const root = join(import.meta.dirname, '../../..')
const isTest = /\.test\.tsx?$/
/** Files that call every route and name every event by their nature would make the questions below pointless. */
const excluded = /node_modules|\/dist\/|matrix\.|completeness\.|packages\/(contract|client)\//
function texts(pattern: string, wanted: (path: string) => boolean): string {
  const paths = globSync(pattern, { cwd: root }).filter((path) => !excluded.test(path) && wanted(path))
  expect(paths.length).toBeGreaterThan(10)
  return paths.map((path) => readFileSync(join(root, path), 'utf8')).join('\n')
}

const server = await openServer()
const source = texts('{apps/server,apps/instance-runtime,packages/nodered}/src/**/*.ts', (path) => !isTest.test(path))
const tests = texts('{apps,packages,e2e}/**/*.test.ts', () => true)

/** Does a test name the route, at once or by its verb, or write its address with values in the place of its parameters? */
function isCalled(id: string, { path }: Route): boolean {
  const [noun, verb] = id.split('.')
  if (tests.includes(`\`${noun}.\${`) && tests.includes(`'${verb}'`)) return true
  const address = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/\\s\'"]+')
  return tests.includes(`'${id}'`) || new RegExp(`${address}['"\`?]`).test(tests)
}

test('every route has a handler, and no handler is without a route', () => {
  expect(Object.keys(server.app.handlers).sort()).toEqual(Object.keys(routes).sort())
})

test('every route is called by a test of its own, beside the matrix of permissions', () => {
  const missing = (Object.entries(routes) as [RouteId, Route][])
    .filter(([id, route]) => !isCalled(id, route))
    .map(([id]) => id)
  expect(missing).toEqual([])
})

test('every error code of the contract is answered somewhere', () => {
  const whenOff = (Object.values(routes) as Route[]).map((route) => route.switch?.refusal as string)
  expect(Object.keys(errors).filter((code) => !source.includes(`'${code}'`) && !whenOff.includes(code))).toEqual([])
})

/** Events from Node-RED; the rest of the list concerns its process, which the platform watches as well. */
const seen = ['start-failed', 'crashed', 'stopped']
const ofNodeRed: readonly string[] = reportedEvents.filter((key) => !seen.includes(key))

test('every audit event is recorded somewhere, or is a name that Node-RED gives', () => {
  const recorded = (key: string) => source.includes(`'${key}'`) || ofNodeRed.includes(key)
  expect(Object.keys(auditEvents).filter((key) => !recorded(key))).toEqual([])
})

test('every audit event that the platform records is asserted by a test', () => {
  const asserted = (key: string) => tests.includes(`'${key}'`)
  expect(Object.keys(auditEvents).filter((key) => !asserted(key) && !ofNodeRed.includes(key))).toEqual([])
})
