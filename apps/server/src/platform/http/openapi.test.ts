import { type Route, type RouteId, routes } from '@app/contract'
import { expect, test } from 'vitest'
import { openServer, send } from '../../../testing/index.ts'
import { accessText } from './openapi.ts'
import { parse } from './schema.ts'

interface Operation {
  operationId: string
  description: string
  parameters: { name: string; in: string; required: boolean; schema: object }[]
  requestBody?: { content: Record<string, { schema: object }> }
  responses: Record<string, { description: string; content?: object }>
}
const server = await openServer()
const document = (await send(server.address, 'GET', '/api/openapi.json')).json as unknown as {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  components: { schemas: object }
}

const all = Object.entries(routes) as [RouteId, Route][]

test('the document describes every route of the contract, each once, and nothing else', () => {
  expect(document.openapi).toBe('3.1.0')
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`),
  )
  expect(described.sort()).toEqual(
    all
      .map(([id, { method, path }]) => `${id} ${method} ${path.replace(/:(\w+)/g, '{$1}').replace('*', '{*}')}`)
      .sort(),
  )
})

test.each(all)('%s names its parameters, its body, its answers and who may call it', (_id, route) => {
  const operation =
    document.paths[route.path.replace(/:(\w+)/g, '{$1}').replace('*', '{*}')]![route.method.toLowerCase()]!
  const inPath = operation.parameters.filter((parameter) => parameter.in === 'path')
  expect(inPath.map(({ name }) => name).sort()).toEqual(
    [...route.path.matchAll(/:(\w+)|\*/g)].map(([all, name]) => name ?? all).toSorted(),
  )
  expect(inPath.every(({ required }) => required)).toBe(true)
  expect(operation.description).toBe(accessText(route.access))
  expect(operation.requestBody !== undefined).toBe(route.body !== undefined)
  for (const { description } of Object.values(operation.responses)) expect(description).toMatch(/\w/)
  expect(JSON.stringify(operation)).not.toContain('"$ref":"#/definitions')
})

test('parsing names every field at fault and the first of them in the sentence', () => {
  expect(parse(routes['team.checkSlug'].body, { slug: 'x', more: 1 })).toEqual({ slug: 'x' })
  expect(() => parse(routes['account.changePassword'].body, { old_password: 1 })).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      status: 400,
      message: expect.stringMatching(/^old_password: /),
      fields: { old_password: expect.any(String), password: expect.any(String) },
    }),
  )
})
