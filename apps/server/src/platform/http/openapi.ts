import { type Access, ErrorReply, errors, type Route, routes, scopes } from '@app/contract'
import type * as z from 'zod/mini'
import { version } from '../../version.ts'
import { jsonSchema } from './schema.ts'

const schema = (type: z.ZodMiniType, io: 'input' | 'output') => {
  const { $schema: _dialect, ...rest } = jsonSchema(type, io)
  return rest
}

function parameters(route: Route) {
  const list = (from: z.ZodMiniType | undefined, where: 'path' | 'query') => {
    if (!from) return []
    const { properties = {}, required = [] } = schema(from, 'input') as {
      properties?: Record<string, unknown>
      required?: string[]
    }
    return Object.entries(properties).map(([name, type]) => ({
      name,
      in: where,
      required: where === 'path' || required.includes(name),
      schema: type,
    }))
  }
  return [...list(route.params, 'path'), ...list(route.query, 'query')]
}

type Shape = { properties?: Record<string, Shape> }

/** The fields of a schema as one writes them: {settings: {env}}. */
function shapeText({ properties = {} }: Shape): string {
  const fields = Object.entries(properties).map(([name, type]) =>
    type.properties ? `${name}: ${shapeText(type)}` : name,
  )
  return `{${fields.join(', ')}}`
}

/** The callers of a route, in English. */
export function accessText(access: Access): string {
  if (access.kind === 'public') return 'Anyone.'
  if (access.kind === 'user')
    return access.byToken ? 'Any signed-in user.' : 'Any signed-in user, in a browser: no token.'
  if (access.kind === 'program') return `The ${access.program} itself, with its own token.`
  const may = [
    `Scope ${access.scope}: may ${scopes[access.scope].means}`,
    access.inBrowser ? '; in a browser: no token.' : '.',
    access.own ? ' Also the person whom the path names.' : '',
  ].join('')
  if (!access.wider) return may
  const { scope, unless } = access.wider
  return `${may} With ${shapeText(schema(unless, 'input'))} alone; anything else needs ${scope} too: may ${scopes[scope].means}.`
}

function operation(id: string, route: Route) {
  const refusals = Object.groupBy(route.errors, (code) => String(errors[code].status[0]))
  const content = (body: unknown, example?: unknown) => ({
    'application/json': { schema: body, ...(example === undefined ? {} : { example }) },
  })
  return {
    operationId: id,
    tags: [id.split('.')[0]],
    summary: route.summary,
    description: accessText(route.access),
    parameters: parameters(route),
    ...(route.body
      ? { requestBody: { required: true, content: content(schema(route.body, 'input'), route.example?.body) } }
      : {}),
    responses: {
      200: route.reply
        ? { description: 'Done', content: content(schema(route.reply, 'output'), route.example?.reply) }
        : { description: route.summary },
      ...Object.fromEntries(
        Object.entries(refusals).map(([status, codes = []]) => [
          status,
          {
            description: codes.map((code) => `${code}: ${errors[code].message}`).join('. '),
            content: content({ $ref: '#/components/schemas/Error' }),
          },
        ]),
      ),
    },
    security: route.access.kind === 'public' ? [] : [{ session: [] }, { token: [] }],
  }
}

/** A path of the contract as OpenAPI writes it. */
const documentedPath = (path: string): string => path.replace(/:(\w+)|(\*)/g, (_all, name, rest) => `{${name ?? rest}}`)

/** OpenAPI 3.1 of every route of the contract. */
export function openApi() {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [id, route] of Object.entries(routes) as [string, Route][]) {
    const path = documentedPath(route.path)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(id, route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'FlowForge',
      version,
      description: 'Hosts Node-RED for teams. Every call answers JSON; refusals share one envelope.',
    },
    paths,
    components: {
      schemas: { Error: schema(ErrorReply, 'output') },
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'sid' },
        token: { type: 'http', scheme: 'bearer' },
      },
    },
  }
}
