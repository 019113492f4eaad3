import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { auditEvents } from './audit.ts'
import { errors } from './errors.ts'
import { PushEvent } from './events.ts'
import { type Route, whileLocked } from './route.ts'
import { type RouteId, routes } from './routes.ts'
import { scopes } from './scopes.ts'
import type { Switch } from './switches.ts'

const all = Object.entries(routes) as [RouteId, Route][]
const keysOf = (schema: z.ZodMiniType | undefined) => {
  const { properties = {} } = (schema ? z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) : {}) as {
    properties?: object
  }
  return Object.keys(properties)
}

/** Where a part of the product that can be switched off has its calls. */
const switched: [RegExp, Switch][] = [
  [/\/devices?\b/, 'devices'],
  [/\/pipelines\b/, 'devops-pipelines'],
  [/\/ha$/, 'ha'],
  [/\/library\b/, 'shared-library'],
  [/\/(sso|scim)\//, 'sso'],
  [/^\/api\/comms\/|\/devices\/:deviceId\/(logs$|editor)/, 'projectComms'],
]
/** The library in an instance's own storage is Node-RED's. A broker also asks about devices, which need no messages. */
const unswitched = ['comms.acl', 'comms.client', 'instanceLibrary.get', 'instanceLibrary.save']

test('a call of a part that can be switched off declares its switch, but for those named here', () => {
  const forgotten = all.filter(([, { path, switch: own }]) =>
    switched.some(([where, name]) => where.test(path) && !own?.names.includes(name)),
  )
  expect(forgotten.map(([id]) => id).toSorted()).toEqual(unswitched)
  for (const [where, name] of switched)
    expect(all.filter(([, route]) => route.switch?.names.includes(name) && !where.test(route.path))).toEqual([])
})

test('no two routes answer to one method and address', () => {
  const addresses = all.map(([, { method, path }]) => `${method} ${path.replace(/:\w+/g, ':')}`)
  // The kinds of storage and the flows among them share a shape: what is named wins over a parameter.
  expect(addresses.filter((address, index) => addresses.indexOf(address) !== index)).toEqual([])
})

/** The parameter that names the target of a scope, in the path or, for a create, in the body. */
const namedBy = {
  team: /team(Id|Slug)?\b/,
  application: /applicationId/,
  pipeline: /pipelineId/,
  instance: /instanceId/,
  device: /deviceId/,
  platform: /^/,
  self: /^/,
}

/** Providers send the browser back by a redirect, which signs a person in and is recorded. */
const arrivals = ['ssoOidc.callback']

test.each(all)(
  '%s is whole: its parts fit each other',
  (id, { method, path, summary, params, body, access, errors: codes, audit }) => {
    const inPath = [...path.matchAll(/:(\w+)|\*/g)].map(([all, name]) => name ?? all)
    expect(id).toMatch(/^[a-zA-Z]+\.[a-zA-Z]+$/)
    expect(path).toMatch(/^\/(api\/v1|api\/comms|account|ee|storage|logging)(\/:?[a-zA-Z_-]+)*(\/\*)?$/)
    expect(summary).toMatch(/^[A-Z'].*[^.]$/)
    expect(keysOf(params).toSorted()).toEqual(inPath.toSorted())
    expect(method === 'GET' && (body !== undefined || (audit !== undefined && !arrivals.includes(id)))).toBe(false)
    expect(codes.filter((code) => !(code in errors))).toEqual([])
    expect(audit === undefined || audit in auditEvents).toBe(true)
    expect(access.kind !== 'scope' || access.scope in scopes).toBe(true)
    expect([...inPath, ...keysOf(body)].join()).toMatch(
      access.kind === 'scope'
        ? namedBy[access.target]
        : access.kind === 'program'
          ? new RegExp(`${access.program}Id`)
          : /^/,
    )
  },
)

const examples = all.flatMap(([id, { params, body, reply, example = {} }]) =>
  [
    { id, part: 'params', schema: params, value: example.params },
    { id, part: 'body', schema: body, value: example.body },
    { id, part: 'reply', schema: reply, value: example.reply },
  ].filter(({ value }) => value !== undefined),
)

test.each(examples)('the example of $id is what its $part accepts', ({ schema, value }) => {
  expect(schema?.safeParse(value)).toMatchObject({ success: true })
})

test.each(all.filter(([, { method }]) => method !== 'GET'))(
  '%s bounds its body: no text without a length',
  (_id, { body }) => {
    if (!body) return
    const unbounded: string[] = []
    const look = (
      schema: {
        type?: string
        maxLength?: number
        pattern?: string
        enum?: unknown
        const?: unknown
        properties?: object
        items?: object
        anyOf?: object[]
      },
      at: string,
    ) => {
      if (
        schema.type === 'string' &&
        !schema.maxLength &&
        !schema.pattern?.includes('}$') &&
        !schema.enum &&
        schema.const === undefined
      )
        unbounded.push(at)
      for (const [key, value] of Object.entries(schema.properties ?? {})) look(value as object, `${at}.${key}`)
      for (const one of schema.anyOf ?? []) look(one, at)
      if (schema.items) look(schema.items, `${at}[]`)
    }
    look(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as object, 'body')
    expect(unbounded).toEqual([])
  },
)

test('a locked session reaches what takes it out of the gate, and nothing else', () => {
  const open = all.filter(([, { access }]) => 'whileLocked' in access).map(([id]) => id)
  const factors = [
    'addPasskey',
    'challenge',
    'confirmApp',
    'get',
    'recoveryCodes',
    'remove',
    'startApp',
    'startPasskey',
  ]
  expect(open.sort()).toEqual([
    'account.changePassword',
    'account.get',
    'account.verify',
    ...factors.map((verb) => `secondFactor.${verb}`),
  ])
  expect(whileLocked({ kind: 'user' })).toEqual({ kind: 'user', whileLocked: true })
})

test('every error code carries statuses of refusals and a sentence', () => {
  for (const [code, { status, message }] of Object.entries(errors)) {
    expect(code).toMatch(/^[a-z_]+$/)
    expect(message).not.toBe('')
    for (const one of status) expect(one).toBeGreaterThanOrEqual(400)
  }
})

test('a pushed event says whose it is', () => {
  expect(PushEvent.safeParse({ type: 'team', team: 't1' }).success).toBe(true)
  expect(PushEvent.safeParse({ type: 'team' }).success).toBe(false)
  expect(PushEvent.safeParse({ type: 'other', team: 't1' }).success).toBe(false)
})
