import type { ErrorCode } from '@app/contract'
import { Failure } from '../../platform/http/failure.ts'

/** The kinds of faults that RFC 7644 (section 3.12) names. */
export type ScimType =
  | 'invalidFilter'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'

/** A refusal in the words of SCIM. */
export class ScimError extends Error {
  readonly status: number
  readonly scimType: ScimType | undefined

  constructor(status: number, detail: string, scimType?: ScimType) {
    super(detail)
    this.name = 'ScimError'
    this.status = status
    this.scimType = scimType
  }
}

/** 400 with the kind of the fault. */
export const badRequest = (scimType: ScimType, detail: string): ScimError => new ScimError(400, detail, scimType)

export const notFound = (): ScimError => new ScimError(404, 'There is no such resource')

const kinds: Partial<Record<ErrorCode, { status: number; scimType?: ScimType }>> = {
  invalid_email: { status: 409, scimType: 'uniqueness' },
  invalid_username: { status: 409, scimType: 'uniqueness' },
  invalid_request: { status: 400, scimType: 'invalidValue' },
  // The last administrator is kept: the directory may not suspend them.
  unexpected_error: { status: 403 },
}

/** The body of an error (RFC 7644, section 3.12), whose status is a text. */
export function errorBody(error: ScimError | Failure) {
  const known = error instanceof Failure && error.status < 500 ? kinds[error.code] : undefined
  const status = known?.status ?? error.status
  const scimType = error instanceof ScimError ? error.scimType : known?.scimType
  return {
    status,
    body: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: String(status),
      ...(scimType ? { scimType } : {}),
      detail: error.message,
    },
  }
}
