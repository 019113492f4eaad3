import { errors, type Route, routes } from '@app/contract'
import type { FastifyInstance } from 'fastify'
import type * as z from 'zod/mini'
import { pagePolicy } from './headers.ts'
import { accessText, openApi } from './openapi.ts'
import { jsonSchema } from './schema.ts'

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const html = (text: string) => text.replace(/[&<>"]/g, (letter) => escapes[letter]!)

const style = `
:root { color-scheme: light dark; --line: light-dark(#e0e1e6, #2e3135); --muted: light-dark(#60646c, #b0b4ba); --soft: light-dark(#f0f0f3, #212225); --accent: light-dark(#5753c6, #b1a9ff) }
body { font: 14px/20px system-ui, sans-serif; margin: 0 auto; max-width: 960px; padding: 32px clamp(16px, 4vw, 24px) 96px; overflow-wrap: anywhere; background: light-dark(#fcfcfd, #111113); color: light-dark(#1c2024, #edeef0) }
h1 { font-size: 20px } h2 { font-size: 16px; margin-top: 40px } a { color: var(--accent) }
details { border: 1px solid var(--line); border-radius: 6px; margin: 8px 0 } summary { padding: 10px 12px; cursor: pointer; display: flex; gap: 12px; flex-wrap: wrap } summary > * { min-width: 0 }
summary b { min-width: 56px } ul { padding-left: 20px } .m { color: var(--muted) } .in { padding: 0 12px 12px } code, pre { font: 12px/18px ui-monospace, monospace }
pre { background: var(--soft); padding: 10px 12px; border-radius: 6px; overflow-x: auto }`

const block = (title: string, value: unknown) =>
  `<p class="m">${title}</p><pre tabindex="0">${html(JSON.stringify(value, null, 2))}</pre>`

function shape(title: string, schema: z.ZodMiniType | undefined, io: 'input' | 'output'): string {
  if (!schema) return ''
  const { $schema: _dialect, ...rest } = jsonSchema(schema, io)
  return block(title, rest)
}

function entry(id: string, route: Route): string {
  const refusals = route.errors
    .map((code) => `<li><code>${code}</code> (${errors[code].status[0]}): ${html(errors[code].message)}</li>`)
    .join('')
  return [
    `<details id="${id}"><summary><b>${route.method}</b><code>${html(route.path)}</code><span class="m">${html(route.summary)}</span></summary><div class="in">`,
    `<p>${html(accessText(route.access))}${route.audit ? ` Recorded as <code>${route.audit}</code>.` : ''}</p>`,
    shape('Query', route.query, 'input'),
    shape('Body', route.body, 'input'),
    route.example?.body ? block('For example', route.example.body) : '',
    shape('Reply', route.reply, 'output'),
    refusals ? `<p class="m">Refusals</p><ul>${refusals}</ul>` : '',
    '</div></details>',
  ].join('')
}

/** The documentation page: every call with who may make it, its shapes, an example and its refusals. */
function page(nonce: string): string {
  const groups = Object.entries(
    Object.groupBy(Object.entries(routes) as [string, Route][], ([id]) => id.split('.')[0]!),
  )
  const body = groups
    .map(([noun, list = []]) => `<h2>${noun}</h2>${list.map(([id, route]) => entry(id, route)).join('')}`)
    .join('')
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>API - FlowForge</title>
<style nonce="${nonce}">${style}</style><main><h1>FlowForge API</h1>
<p>Send and receive JSON. Sign in with the session cookie or <code>Authorization: Bearer</code>. A refusal is
<code>{code, error, message, statusCode, fields?}</code>: match the code. Besides those named, every call may answer
<code>unauthorized</code> (401, 403), <code>not_found</code> (404) and <code>invalid_request</code> (400).
The same as <a href="/api/openapi.json">OpenAPI 3.1</a>.</p>${body}</main></html>`
}

/** The page at /api/ and the OpenAPI document of the contract; made when somebody asks. */
export function serveDocumentation(app: FastifyInstance): void {
  app.get('/api/openapi.json', async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(JSON.stringify(openApi())),
  )
  app.get('/api', async (_request, reply) => {
    const { nonce, policy } = pagePolicy()
    return reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(page(nonce))
  })
}
