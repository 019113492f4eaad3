import { type Route, type RouteId, routes, type Scope } from '@app/contract'
import { addressOf } from '@app/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { untilJobsEnded } from './build.ts'
import { matrixCalls } from './matrix.calls.ts'
import { expectedVerdict } from './matrix.oracle.ts'
import { type ActingCaller, createWorld, type WholeWorld } from './matrix.world.ts'
import { wholeReads } from './queries.ts'
import { startServer, type TestServer } from './server.ts'

/** The register rows that a call by every kind of caller shows. */
const rows: Partial<Record<Scope, string>> = {
  'user:read': 'PERM-09',
  'user:edit': 'PERM-10',
  'user:delete': 'PERM-11',
  'user:team:list': 'PERM-12',
  'invitation:list': 'PERM-22',
  'team:user:invite': 'PERM-36',
  'team:user:remove': 'PERM-37',
  'team:user:change-role': 'PERM-38',
  'team:edit': 'PERM-29',
  'team:audit-log': 'PERM-31',
  'project:create': 'PERM-39',
  'project:delete': 'PERM-40',
  'project:transfer': 'PERM-41',
  'project:change-status': 'PERM-43',
  'team:user:list': 'PERM-56',
  'team:projects:list': 'PERM-57',
  'project:read': 'PERM-59',
  'project:log': 'PERM-60',
  'project:audit-log': 'PERM-61',
  'device:audit-log': 'PERM-81',
  'device:list': 'PERM-19',
  'team:device:provisioning-token:create': 'PERM-32',
  'team:device:provisioning-token:edit': 'PERM-33',
  'team:device:provisioning-token:list': 'PERM-34',
  'team:device:provisioning-token:delete': 'PERM-35',
  'device:create': 'PERM-46',
  'device:delete': 'PERM-47',
  'device:edit': 'PERM-48',
  'project:snapshot:set-target': 'PERM-54',
  'device:edit-env': 'PERM-55',
  'team:device:list': 'PERM-58',
  'device:read': 'PERM-64',
  'team:read': 'PERM-65',
  'template:list': 'PERM-68',
  'template:read': 'PERM-68',
  'stack:list': 'PERM-69',
  'stack:read': 'PERM-69',
  'project-type:list': 'PERM-70',
  'project-type:read': 'PERM-70',
  'application:pipelines:list': 'PERM-75',
  'application:pipelines:create': 'PERM-75',
  'application:pipelines:update': 'PERM-75',
  'application:pipelines:delete': 'PERM-75',
  'pipeline:view': 'PERM-75',
  'pipeline:edit': 'PERM-75',
  'pipeline:delete': 'PERM-75',
  'library:entry:list': 'PERM-75',
  'library:entry:delete': 'PERM-75',
  'team-type:create': 'PERM-75',
  'team-type:edit': 'PERM-75',
  'team-type:delete': 'PERM-75',
}

let server: TestServer
let world: WholeWorld
beforeAll(async () => {
  server = await startServer({ config: { billing: { provider: 'test', freeCredit: 0 } } })
  // Steps of the schema read what they change.
  server.queries.texts.clear()
  world = await createWorld(server)
})
afterAll(() => server.close())

const cases = (Object.entries(routes) as [RouteId, Route][]).map(([id, route]) => {
  const row = route.access.kind === 'scope' ? rows[route.access.scope] : undefined
  return { title: row ? `[${row}] ${id}` : id, id, route }
})

/** Repeats the instance from whose address the browser was sent to sign in, to whoever that is. */
const asTheyCame: ReadonlySet<RouteId> = new Set(['account.accessRequest'])

/** Finds a fault in the answer that a caller got, or nothing. */
async function judge(id: RouteId, route: Route, caller: ActingCaller): Promise<string | undefined> {
  const { input, allowed = [200] } = matrixCalls[id]
  const expected = expectedVerdict(route.access, caller)
  const {
    params,
    query,
    body,
    headers = caller.headers,
  } = await input(world.seenBy(caller), caller, expected === 'allowed')
  // A job records its end in the name of whoever asked for it, perhaps by the call before.
  if (expected !== 'allowed') await untilJobsEnded(server.app.database)
  const before = await world.traces(caller.userId)
  const answer = await world.call(route.method, addressOf(route.path, params, query), { headers, body })
  const told = `${caller.name}: expected ${expected}, got ${answer.status} ${answer.text.slice(0, 200)}`
  const hidden = asTheyCame.has(id) ? [] : world.hiddenFrom(caller)
  const leaked = hidden.filter((each) => answer.text.includes(each))
  if (leaked.length > 0) return `${caller.name}: was told of ${leaked.join()}`
  if (expected === 'allowed') return allowed.includes(answer.status) ? undefined : told
  if (answer.status !== expected) return told
  if (answer.json.code !== (expected === 404 ? 'not_found' : 'unauthorized')) return told
  return (await world.traces(caller.userId)) === before
    ? undefined
    : `${caller.name}: was refused, and yet something changed`
}

test('every route says who may call it, and has a call', () => {
  const kinds = ['public', 'user', 'scope', 'program']
  expect(cases.filter(({ id, route }) => !kinds.includes(route.access?.kind) || !(id in matrixCalls))).toEqual([])
})

test('[PERM-73] the table grants a viewer no call that changes something in a team; the tests that follow make each of them', () => {
  const viewer = world.callers.find(({ name }) => name === 'viewer')!
  const changing = cases.filter(({ route: { access, method } }) => {
    return method !== 'GET' && access.kind === 'scope' && access.target !== 'platform' && access.target !== 'self'
  })
  expect(changing.length).toBeGreaterThan(30)
  const granted = changing.filter(({ route }) => expectedVerdict(route.access, viewer) !== 403)
  expect(granted.map(({ id }) => id)).toEqual([])
})

test('[PERM-75] calls that no table names have a scope, which the tests that follow try with every role', () => {
  const own = Object.entries(rows).flatMap(([scope, row]) => (row === 'PERM-75' ? [scope] : []))
  const judged = (scope: string) =>
    cases.filter(({ route: { access } }) => access.kind === 'scope' && access.scope === scope)
  expect(own.filter((scope) => judged(scope).length === 0)).toEqual([])
  const verdicts = ({ route }: (typeof cases)[number]) =>
    new Set(world.callers.map((caller) => expectedVerdict(route.access, caller)))
  const open = own.flatMap(judged).filter((one) => !verdicts(one).has('allowed') || !verdicts(one).has(403))
  expect(open.map(({ id }) => id)).toEqual([])
})

test.each(cases)('[API-08] $title answers every kind of caller as the permission table says', async ({ id, route }) => {
  const wrong: string[] = []
  for (const caller of world.callers) {
    const fault = await judge(id, route, caller)
    if (fault) wrong.push(fault)
  }
  expect(wrong).toEqual([])
})

test('[API-08] what a call names by its id and does not exist is 404 to whoever may everything', async () => {
  const admin = world.callers.find(({ name }) => name === 'a visiting administrator')!
  const named = cases.filter(({ route }) => route.access.kind === 'scope' && /:\w+Id\b/.test(route.path))
  expect(named.length).toBeGreaterThan(50)
  const wrong: string[] = []
  for (const { id, route } of named) {
    const { params = {}, query, body } = await matrixCalls[id].input(world, admin, false)
    const last = [...route.path.matchAll(/:(\w+Id)\b/g)].at(-1)![1]!
    const path = addressOf(route.path, { ...params, [last]: 'nothing' }, query)
    const { status, json } = await world.call(route.method, path, { headers: admin.headers, body })
    // Without mail there is nothing to send again, whatever the invitation.
    const isFirstRefused = id === 'invitation.resend' && json.code === 'invalid_request'
    if (!isFirstRefused && (status !== 404 || json.code !== 'not_found'))
      wrong.push(`${id}: ${status} ${json.code as string}`)
  }
  expect(wrong).toEqual([])
})

// PostgreSQL plans a statement by the amount of data.
if (process.env.TEST_DATABASE !== 'postgres') {
  test('of the statements that all these calls and their jobs needed none reads the whole of a table that grows', async () => {
    await untilJobsEnded(server.app.database)
    // All but what is asked here after each refused call.
    const needed = [...server.queries.texts].filter((text) => !text.includes('audit_log where trigger_id'))
    expect(needed.filter((text) => text.includes('"jobs"')).length).toBeGreaterThan(5)
    expect(await wholeReads(server.app.database, needed)).toEqual([])
  })
}
