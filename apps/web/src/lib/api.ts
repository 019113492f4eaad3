import { ApiError, createClient, NetworkError } from '@app/client'
import { routeMap } from '@app/client/routes'
import { intervals } from '@app/contract/constants'

/** Calls the platform that served this page. */
export const api = createClient({ routes: routeMap, baseUrl: '', timeout: intervals.requestTimeout })

/** Was the call refused with this status? */
export const hasStatus = (error: unknown, status: number): boolean =>
  error instanceof ApiError && error.status === status

/** The server's sentence, or what kept us from getting one. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The sentence that came with a refusal of the platform; undefined when the answer had none of its own. */
export const sentenceOf = (error: unknown): string | undefined =>
  error instanceof ApiError ? (error.reply.message ?? error.reply.error) : undefined

export { ApiError, NetworkError }
