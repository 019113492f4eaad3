import type * as z from 'zod/mini'

const kinds: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

/** Nobody reads more values than this in a sentence. */
const mostNamed = 12

/**
 * What is wrong with a value, for the person who gave it; undefined leaves the words to zod. Schemas that give a
 * sentence of their own are not asked.
 */
export function sentenceOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'too_big') return `At most ${amountOf(issue.origin, Number(issue.maximum))}`
  if (issue.code === 'too_small') {
    if (issue.origin === 'string' && Number(issue.minimum) <= 1) return 'Required'
    return `At least ${amountOf(issue.origin, Number(issue.minimum))}`
  }
  if (issue.code === 'invalid_type') {
    if (issue.input === undefined) return 'Required'
    return kinds[issue.expected] && `Must be ${kinds[issue.expected]}`
  }
  if (issue.code === 'invalid_value')
    return issue.values.length > mostNamed ? 'Unknown value' : `Must be one of: ${issue.values.map(String).join(', ')}`
  return undefined
}

function amountOf(origin: string, limit: number): string {
  const many = limit.toLocaleString('en')
  if (origin === 'string') return `${many} ${limit === 1 ? 'character' : 'characters'}`
  if (origin === 'array') return `${many} ${limit === 1 ? 'entry' : 'entries'}`
  return many
}
