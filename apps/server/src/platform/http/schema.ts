import build, { type Schema } from 'fast-json-stringify'
import type { ErrorCode } from '@app/contract'
import { sentenceOf } from '@app/contract/sentences'
import * as z from 'zod/mini'
import { fail } from './failure.ts'

/** Fields whose faults have a code of their own. */
const ownCodes: Record<string, ErrorCode> = { email: 'invalid_email', username: 'invalid_username' }

z.config({ ...z.locales.en(), customError: sentenceOf })

/**
 * Parses input; a fault names its field and says what is expected, field by field.
 * @throws Failure invalid_request, or the code that a field has of its own, where `codes` has it.
 */
export function parse<S extends z.ZodMiniType>(
  schema: S,
  value: unknown,
  codes: readonly ErrorCode[] = [],
): z.output<S> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const fields: Record<string, string> = {}
  for (const issue of result.error.issues) fields[issue.path.join('.') || 'body'] ??= issue.message
  const [field, message] = Object.entries(fields)[0] ?? ['body', 'not valid']
  const own = ownCodes[field]
  const code = own !== undefined && codes.includes(own) ? own : 'invalid_request'
  const failure = fail(code, `${field}: ${message}`)
  return raise(Object.assign(failure, { fields }))
}

function raise(error: Error): never {
  throw error
}

/**
 * Rewrites what is slow to serialise: `nullable` says the same as `anyOf [X, null]`, and an object that may hold
 * anything is written whole, not field by field.
 */
function flatten(schema: Record<string, unknown>): void {
  if (isAnyObject(schema)) {
    for (const key of Object.keys(schema)) delete schema[key]
    return
  }
  const options = schema.anyOf as Record<string, unknown>[] | undefined
  if (options?.length !== 2 || !options.some((option) => option.type === 'null')) return
  const some = options.find((option) => option.type !== 'null')
  delete schema.anyOf
  Object.assign(schema, some, { nullable: true })
}

const isAnyObject = ({ type, properties, additionalProperties }: Record<string, unknown>) =>
  type === 'object' && [properties, additionalProperties].every((part) => JSON.stringify(part) === '{}')

/** The JSON schema of a contract schema. */
export function jsonSchema(
  schema: z.ZodMiniType,
  io: 'input' | 'output',
  override?: (schema: Record<string, unknown>) => void,
) {
  return z.toJSONSchema(schema, {
    target: 'draft-7',
    io,
    unrepresentable: 'any',
    override: (context) => override?.(context.jsonSchema as Record<string, unknown>),
  }) as Record<string, unknown>
}

/**
 * A serialiser that lets through only the fields of the contract. Built at the first use:
 * start-up does not pay for routes that nobody calls.
 */
export function serializer(schema: z.ZodMiniType): (value: unknown) => string {
  let write: ((value: unknown) => string) | undefined
  return (value) => {
    // Draft 7 on both sides; the builder wants the type of a literal.
    write ??= build(jsonSchema(schema, 'output', flatten) as object as Schema)
    return write(value)
  }
}
