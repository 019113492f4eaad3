import { DriverError } from '../../driver.ts'

/** The status of an answer that is no success, and what the API server says in it. */
interface Answer {
  code: number
  reason?: string
  message: string
}

/** The answer of the API server; undefined for an error without any. */
function answerOf(error: unknown): Answer | undefined {
  const { code, statusCode, body, message } = (error ?? {}) as {
    code?: unknown
    statusCode?: unknown
    body?: unknown
    message?: string
  }
  const status = typeof code === 'number' ? code : statusCode
  if (typeof status !== 'number') return undefined
  const said = parsed(body)
  return {
    code: status,
    // Without a body the client tells it in lines of its own.
    message: said?.message ?? /^Message: (.*)$/m.exec(message ?? '')?.[1] ?? message ?? `status ${status}`,
    ...(said?.reason === undefined ? {} : { reason: said.reason }),
  }
}

function parsed(body: unknown): { reason?: string; message?: string } | undefined {
  if (typeof body !== 'string') return (body as { message?: string } | null) ?? undefined
  try {
    return JSON.parse(body) as { message?: string }
  } catch {
    return { message: body.slice(0, 300) }
  }
}

/** An error of a call to the cluster in a sentence, with a code. `server`: the address of the API server. */
export function explain(error: unknown, server: string): DriverError {
  if (error instanceof DriverError) return error
  const options = { cause: error }
  const answer = answerOf(error)
  if (!answer)
    return new DriverError(
      'cluster_away',
      `The Kubernetes API server does not answer at ${server}: ${why(error)}`,
      options,
    )
  const { code, message } = answer
  if (code === 401)
    return new DriverError(
      'cluster_refuses',
      `Kubernetes does not accept the credentials of the platform: ${message}`,
      options,
    )
  if (code === 403) return new DriverError('cluster_forbids', `Kubernetes does not allow it: ${message}`, options)
  if (code >= 500 || code === 429)
    return new DriverError('cluster_away', `The Kubernetes API server cannot do it now: ${message}`, options)
  return new DriverError('cluster_refuses', `Kubernetes refuses it: ${message}`, options)
}

/** The reason of an error of the network: what was given up tells only that, and its cause the rest. */
function why(error: unknown): string {
  const {
    name,
    message = 'unknown error',
    cause,
  } = (error ?? {}) as { name?: string; message?: string; cause?: unknown }
  if (name === 'TimeoutError') return 'no answer in time'
  return cause instanceof Error ? why(cause) : message
}

/** Undefined in the place of an error with one of these codes. */
export const unlessCode = <T>(work: Promise<T>, ...codes: number[]): Promise<T | undefined> =>
  work.catch((error: unknown) => {
    if (codes.includes(answerOf(error instanceof DriverError ? error.cause : error)?.code ?? 0)) return undefined
    throw error
  })
