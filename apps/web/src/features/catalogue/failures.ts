import { ApiError, sentenceOf } from '../../lib/api.ts'
import { toast } from '../../ui/toast.ts'

/** Returns the sentence of the server, or that there was none [ATPL-23]. */
export const textOf = (error: unknown): string => sentenceOf(error) ?? 'Unknown Error. Check logs.'

/** Tells of a refusal in the corner. */
export const warn = (error: unknown): void => toast.warning(textOf(error))

/** Returns the errors by field; a taken name in the words of the specification [ATYPE-08] [ASTACK-12]. */
export function fieldFaults(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {}
  return error.code === 'invalid_name' ? { name: 'Name unavailable' } : error.fields
}

/** Did somebody else save it in the meantime? */
export const isOutdated = (error: unknown): boolean => error instanceof ApiError && error.code === 'outdated'
