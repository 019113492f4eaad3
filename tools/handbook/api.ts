import { nounNames } from './api.text.ts'
import { escapeHtml, type Heading, type Section } from './markdown.ts'
import type { Page } from './pages.ts'

interface Schema {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  format?: string
  maxLength?: number
  minimum?: number
  maximum?: number
  default?: unknown
  additionalProperties?: Schema | boolean
}
interface Content {
  content?: { 'application/json'?: { schema: Schema; example?: unknown } }
}
interface Operation {
  operationId: string
  tags: [string]
  summary: string
  description: string
  parameters: { name: string; in: 'path' | 'query'; required: boolean; schema: Schema }[]
  requestBody?: Content
  responses: Record<string, Content & { description: string }>
}
interface Call extends Operation {
  method: string
  path: string
}

const code = (text: string) => `<code>${escapeHtml(text)}</code>`

/** Returns the type of a field in a few words. */
function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(' | ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return [...new Set(choices.map(typeOf))].join(' | ')
  if (schema.type === 'array') return `${schema.items ? typeOf(schema.items) : 'any'}[]`
  const type = Array.isArray(schema.type) ? schema.type.join(' | ') : (schema.type ?? 'any')
  return schema.format ? `${type} (${schema.format})` : type
}

function limitsOf({ maxLength, minimum, maximum, default: fallback }: Schema): string {
  const isBound = (value: number | undefined) => value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER
  return [
    maxLength === undefined ? '' : `at most ${maxLength} characters`,
    isBound(minimum) ? `from ${minimum}` : '',
    isBound(maximum) ? `to ${maximum}` : '',
    fallback === undefined ? '' : `default ${JSON.stringify(fallback)}`,
  ]
    .filter(Boolean)
    .join(', ')
}

const deepest = 3

/** Returns a row for each field, those of inner objects after theirs with the path as name. */
function rowsOf(schema: Schema, showsRequired: boolean, before = '', depth = 0): string[] {
  const inner = schema.type === 'array' && schema.items ? schema.items : schema
  return Object.entries(inner.properties ?? {}).flatMap(([name, field]) => {
    const isList = field.type === 'array'
    const path = `${before}${name}${isList ? '[]' : ''}`
    const required = showsRequired && inner.required?.includes(name) ? '<span class="required">required</span>' : ''
    const limits = limitsOf(field)
    const row = `<tr><td>${code(path)} ${required}</td><td>${code(typeOf(field))}${limits && ` <span class="muted">${escapeHtml(limits)}</span>`}</td></tr>`
    const below = isList ? field.items : field
    return [row, ...(below?.properties && depth < deepest ? rowsOf(below, showsRequired, `${path}.`, depth + 1) : [])]
  })
}

function fieldsTable(title: string, schema: Schema | undefined, showsRequired: boolean): string {
  if (!schema) return ''
  const rows = rowsOf(schema, showsRequired)
  const choice = rows.length === 0 ? `<p>${code(typeOf(schema))}</p>` : ''
  const table = `<div class="table"><table><thead><tr><th scope="col">Field</th><th scope="col">Type</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`
  return `<h4>${title}</h4>${choice || table}`
}

const example = (title: string, value: unknown) =>
  value === undefined
    ? ''
    : `<h4>${title}</h4><div class="code"><pre data-language="json"><code>${escapeHtml(JSON.stringify(value, null, 2))}\n</code></pre></div>`

const anchorOfCall = (id: string) => id.replaceAll('.', '-').toLowerCase()

function callHtml(call: Call): string {
  const inQuery = call.parameters.filter((one) => one.in === 'query')
  const query: Schema = {
    properties: Object.fromEntries(inQuery.map((one) => [one.name, one.schema])),
    required: inQuery.filter((one) => one.required).map((one) => one.name),
  }
  const body = call.requestBody?.content?.['application/json']
  const reply = call.responses['200']?.content?.['application/json']
  const refusals = Object.entries(call.responses).filter(([status]) => status !== '200')
  const id = anchorOfCall(call.operationId)
  const replyTable = fieldsTable('Reply', reply?.schema, false)
  return [
    `<section class="call"><h2 id="${id}"><a class="anchor" href="#${id}">${escapeHtml(call.summary)}</a></h2>`,
    `<p class="endpoint"><b class="method method-${call.method.toLowerCase()}">${call.method}</b> ${code(call.path)}</p>`,
    `<p>${escapeHtml(call.description)}</p>`,
    inQuery.length > 0 ? fieldsTable('Query', query, true) : '',
    fieldsTable('Body', body?.schema, true),
    example('Example body', body?.example),
    replyTable &&
      `<details><summary>Reply</summary>${replyTable.replace('<h4>Reply</h4>', '')}${example('Example', reply?.example)}</details>`,
    refusals.length > 0
      ? `<details><summary>Errors</summary><ul>${refusals.flatMap(([status, { description }]) => errorItems(status, description)).join('')}</ul></details>`
      : '',
    '</section>',
  ].join('')
}

function errorItems(status: string, description: string): string[] {
  return description.split(/\. (?=\w+: )/).map((one) => {
    const [name = '', ...sentence] = one.split(': ')
    return `<li><a href="/docs/troubleshooting#${name}">${code(name)}</a> <span class="muted">${status}</span> ${escapeHtml(sentence.join(': '))}</li>`
  })
}

const callsOf = (document: string): Call[] => {
  const { paths } = JSON.parse(document) as { paths: Record<string, Record<string, Operation>> }
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )
}

/** Returns a noun of the contract as a heading: `auditLog` becomes "Audit log". */
function headingOf(noun: string): string {
  const words = noun.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Adds the list of calls to the page about the API, and returns it with a page for each noun. */
export function apiPages(document: string, intro: Page): Page[] {
  const groups = Object.entries(Object.groupBy(callsOf(document), (call) => call.tags[0])).map(([noun, calls = []]) => {
    const name = nounNames[noun] ?? headingOf(noun)
    return { noun, name, calls }
  })
  groups.sort((one, other) => one.name.localeCompare(other.name))
  const list = groups
    .map(
      ({ noun, name, calls }) =>
        `<h3><a href="/docs/api-${noun}">${name}</a></h3><ul class="calls">${calls.map((call) => `<li><a href="/docs/api-${noun}#${anchorOfCall(call.operationId)}"><b class="method method-${call.method.toLowerCase()}">${call.method}</b> ${code(call.path)}</a><span class="muted">${escapeHtml(call.summary)}</span></li>`).join('')}</ul>`,
    )
    .join('')
  return [
    { ...intro, html: `${intro.html}${list}` },
    ...groups.map((group) => nounPage(group.noun, group.name, group.calls)),
  ]
}

function nounPage(noun: string, name: string, calls: Call[]): Page {
  const title = `${name} API`
  const headings = calls.map((call): Heading => ({ id: anchorOfCall(call.operationId), text: call.summary, depth: 2 }))
  const sections = calls.map(
    (call): Section => ({
      id: anchorOfCall(call.operationId),
      title: call.summary,
      text: `${call.method} ${call.path} ${call.description}`,
    }),
  )
  return {
    slug: `api-${noun}`,
    title,
    html: `<h1>${title}</h1>${calls.map(callHtml).join('')}`,
    headings,
    sections,
    anchors: new Set(headings.map(({ id }) => id)),
  }
}
