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

/** The JSON schema of a contract schema. */
export const jsonSchema = (schema: z.ZodMiniType, io: 'input' | 'output') =>
  z.toJSONSchema(schema, { target: 'draft-7', io, unrepresentable: 'any' }) as Record<string, unknown>
