import { DriverError } from '../../driver.ts'
import { commonError, type Explain } from '../npm/npm.errors.ts'

/** The npm registry has exact versions only in this form; anything else could be an option or an address. */
export const exactVersion = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/

/** Explains why software of a stack could not be fetched; `what` names it with its version. */
export const explainStack =
  (what: string): Explain =>
  (fault, cause) =>
    fault.kind === 'version' || fault.kind === 'missing'
      ? new DriverError('unknown_version', `The npm registry has no such version: ${what}`, { cause })
      : commonError(fault, what, cause)
