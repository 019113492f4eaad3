import { badRequest } from './scim.errors.ts'

export type Comparison = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le'
export type FilterValue = string | number | boolean | null

/** A filter of RFC 7644 (section 3.4.2.2). Paths are in lower case, without the name of a core schema. */
export type Filter =
  | { kind: 'and'; left: Filter; right: Filter }
  | { kind: 'or'; left: Filter; right: Filter }
  | { kind: 'not'; of: Filter }
  | { kind: 'present'; path: string }
  | { kind: 'compare'; path: string; by: Comparison; value: FilterValue }
  /** `emails[type eq "work"]`: one element of the list fulfils the whole. */
  | { kind: 'within'; path: string; of: Filter }

/** The target of a PATCH operation. */
export interface AttributePath {
  /** The schema of an extension, if the attribute belongs to one. */
  extension: string | undefined
  attribute: string
  /** Chooses elements of a list. */
  filter: Filter | undefined
  sub: string | undefined
}

const comparisons: readonly string[] = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le']
const longest = 4_000
const pattern = /\s*(?:([()[\]])|("(?:[^"\\]|\\.)*")|([A-Za-z0-9$_.:-]+))/y
const coreSchema = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/i
const attributeName = /^[A-Za-z$][\w$-]*$/

/** An attribute name without the schema that every resource has. @throws ScimError when it is none. */
function plainPath(text: string): string {
  const path = text.replace(coreSchema, '')
  const names = path.slice(path.lastIndexOf(':') + 1).split('.')
  if (names.length > 2 || !names.every((name) => attributeName.test(name)))
    throw badRequest('invalidFilter', `${text} is not the name of an attribute`)
  return path.toLowerCase()
}

function tokensOf(text: string): string[] {
  if (text.length > longest) throw badRequest('invalidFilter', `A filter has at most ${longest} characters`)
  const tokens: string[] = []
  pattern.lastIndex = 0
  const end = text.trimEnd().length
  while (pattern.lastIndex < end) {
    const at = pattern.lastIndex
    const match = pattern.exec(text)
    if (!match) throw badRequest('invalidFilter', `The filter cannot be read from character ${at + 1}`)
    tokens.push(match[1] ?? match[2] ?? match[3]!)
  }
  return tokens
}

function valueOf(token: string | undefined): FilterValue {
  try {
    const value: unknown = JSON.parse(/^(true|false|null)$/i.test(token ?? '') ? token!.toLowerCase() : (token ?? ''))
    if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value as FilterValue
  } catch {
    // Told below.
  }
  throw badRequest('invalidFilter', `${token ?? 'The end of the filter'} is not a value to compare with`)
}

/** @throws ScimError invalidFilter */
export function parseFilter(text: string): Filter {
  const tokens = tokensOf(text)
  let at = 0
  const word = () => tokens[at]?.toLowerCase()
  function take(token: string): void {
    if (tokens[at] !== token) throw badRequest('invalidFilter', `The filter lacks a ${token}`)
    at += 1
  }

  function alternatives(): Filter {
    let left = conditions()
    while (word() === 'or') {
      at += 1
      left = { kind: 'or', left, right: conditions() }
    }
    return left
  }

  function conditions(): Filter {
    let left = condition()
    while (word() === 'and') {
      at += 1
      left = { kind: 'and', left, right: condition() }
    }
    return left
  }

  function condition(): Filter {
    const negated = word() === 'not' && tokens[at + 1] === '('
    if (negated) at += 1
    if (tokens[at] === '(') {
      at += 1
      const inner = alternatives()
      take(')')
      return negated ? { kind: 'not', of: inner } : inner
    }
    const name = tokens[at]
    if (name === undefined) throw badRequest('invalidFilter', 'The filter ends too early')
    const path = plainPath(name)
    at += 1
    if (tokens[at] === '[') {
      at += 1
      const inner = alternatives()
      take(']')
      return { kind: 'within', path, of: inner }
    }
    const operator = word()
    at += 1
    if (operator === 'pr') return { kind: 'present', path }
    if (operator === undefined || !comparisons.includes(operator))
      throw badRequest('invalidFilter', `${operator ?? 'The end of the filter'} is not an operator`)
    const value = valueOf(tokens[at])
    at += 1
    return { kind: 'compare', path, by: operator as Comparison, value }
  }

  const filter = alternatives()
  if (at < tokens.length) throw badRequest('invalidFilter', `The filter cannot be read from ${tokens[at]}`)
  return filter
}

/** Reads the path of a PATCH operation, such as `emails[type eq "work"].value`. @throws ScimError invalidPath */
export function parsePath(text: string): AttributePath {
  const match = /^\s*([^[\]\s]+)\s*(?:\[(.*)\](?:\.([\w$-]+))?)?\s*$/s.exec(text.replace(coreSchema, ''))
  if (!match) throw badRequest('invalidPath', `${text.slice(0, 200)} is not a path`)
  const [, full = '', filter, subOfList] = match
  const [, extension, rest = ''] = /^(?:(urn:[^[\]]+):)?([^:]+)$/.exec(full) ?? []
  const [attribute = '', sub, ...more] = rest.split('.')
  const names = [attribute, ...(sub === undefined ? [] : [sub]), ...(subOfList === undefined ? [] : [subOfList])]
  if (more.length > 0 || !names.every((name) => attributeName.test(name)))
    throw badRequest('invalidPath', `${text.slice(0, 200)} is not a path`)
  return {
    extension,
    attribute,
    filter: filter === undefined ? undefined : parseFilter(filter),
    sub: subOfList ?? sub,
  }
}
