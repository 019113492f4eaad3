import { type ErrorCode, type ErrorReply, errors } from '@app/contract'

/** A refusal with a code of the catalogue. Its text reaches the person who asked. */
export class Failure extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly fields: Record<string, string> | undefined
  /** Where to sign in instead (sso_required). */
  redirect?: string
  /** Seconds after which the caller may ask again; the reply says so in `Retry-After`. */
  readonly retryAfter: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    status: number,
    more: Partial<Pick<Failure, 'fields' | 'retryAfter'>> = {},
  ) {
    super(message)
    this.name = 'Failure'
    this.code = code
    this.status = status
    this.fields = more.fields
    this.retryAfter = more.retryAfter
  }
}

interface FailureOptions {
  /** One of the code's other statuses. */
  status?: number
  /** The inputs at fault, with the same sentence. */
  field?: string | readonly string[]
  /** Seconds after which the caller may ask again. */
  retryAfter?: number
}

/** Makes a refusal: `throw fail('invalid_slug', 'This slug is taken', { field: 'slug' })`. */
export function fail(code: ErrorCode, message: string = errors[code].message, options: FailureOptions = {}): Failure {
  const statuses: readonly number[] = errors[code].status
  const status = options.status ?? statuses[0]!
  if (!statuses.includes(status)) throw new Error(`${code} never answers with ${status}`)
  const fields = [options.field ?? []].flat().map((field) => [field, message] as const)
  return new Failure(code, message, status, {
    fields: fields.length > 0 ? Object.fromEntries(fields) : undefined,
    retryAfter: options.retryAfter,
  })
}

/** The envelope of every refusal (docs/specification/errors.md). */
export function errorReply(failure: Failure): ErrorReply {
  const { code, message, status, fields, redirect } = failure
  const more = { ...(fields ? { fields } : {}), ...(redirect === undefined ? {} : { redirect }) }
  return { code, error: message, message, statusCode: status, ...more }
}
