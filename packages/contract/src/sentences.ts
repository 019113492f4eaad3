import type * as z from 'zod/mini'

const kinds: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

/** Nobody reads more values than this in a sentence. */
const mostNamed = 12

/** A sentence about a value, for the person who gave it. Schemas with a sentence of their own are not asked. */
export function sentenceOf(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'too_big') return `At most ${amountOf(issue.origin, Number(issue.maximum))}`
  if (issue.code === 'too_small') {
    if (issue.origin === 'string' && Number(issue.minimum) <= 1) return 'Required'
    return `At least ${amountOf(issue.origin, Number(issue.minimum))}`
  }
  if (issue.code === 'invalid_type') {
    if (issue.input === undefined) return 'Required'
    const kind = kinds[issue.expected]
    return kind === undefined ? 'Not valid' : `Must be ${kind}`
  }
  if (issue.code === 'invalid_value')
    return issue.values.length > mostNamed ? 'Unknown value' : `Must be one of: ${issue.values.map(String).join(', ')}`
  if (issue.code === 'invalid_union') return unionSentence(issue.errors)
  if (issue.code === 'unrecognized_keys') return `Unknown: ${issue.keys.join(', ')}`
  if (issue.code === 'invalid_format' && issue.format === 'datetime')
    return 'Must be a date and time such as 2026-01-31T12:00:00Z'
  return 'Not valid'
}

/**
 * The sentence of the last of several shapes, which is the widest: those before it are nothing, or a name for
 * something.
 */
function unionSentence(errors: readonly (readonly z.core.$ZodIssue[])[] | undefined): string {
  const issue = errors?.at(-1)?.[0]
  return issue ? [...issue.path.map(String), issue.message].join(': ') : 'Not valid'
}

function amountOf(origin: string, limit: number): string {
  const many = limit.toLocaleString('en')
  if (origin === 'string') return `${many} ${limit === 1 ? 'character' : 'characters'}`
  if (origin === 'array') return `${many} ${limit === 1 ? 'entry' : 'entries'}`
  return many
}
