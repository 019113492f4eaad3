import type { RestoreStatus } from '@app/contract'
import { createClient } from '@app/client'
import { routeMap } from '@app/client/routes'
import { intervals } from '@app/contract/constants'
import { ApiError, NetworkError } from '../../lib/api.ts'

const lookEveryMs = 1_000

export interface Progress {
  step: 'sending' | 'checking' | 'restoring' | 'restored' | 'refused'
  /** Bytes of the file that have gone to the server. */
  sent: number
  error?: string
  /** Progress of the server with the step. */
  text?: string
}

/** Progress, in the words of the server. */
const stepOf = ({ phase, error }: RestoreStatus): Pick<Progress, 'step' | 'error'> =>
  phase === 'refused'
    ? { step: phase, ...(error !== undefined && { error }) }
    : { step: phase === 'restored' || phase === 'restoring' ? phase : 'checking' }

/**
 * Sends a backup to the new platform whose one-time link this is, has it restored and tells how that goes. While the
 * platform is replaced the server answers 503 with how far it is, and for moments not at all: no fault. A file that is there already, `sent` before, is not sent again.
 * It throws nothing: what went wrong is told as `refused`.
 */
export async function restoreFrom(
  { token, file, passphrase, isThere }: { token: string; file: File; passphrase: string; isThere: boolean },
  tell: (progress: Progress) => void,
): Promise<void> {
  const headers = () => ({ authorization: `Bearer ${token}` })
  const api = createClient({ routes: routeMap, baseUrl: '', timeout: intervals.requestTimeout, headers })
  const sent = file.size
  try {
    // A refused link would otherwise be told of only after the whole file.
    await api.call('setup.restoreStatus')
    if (!isThere) await send(file, headers(), (bytes) => tell({ step: 'sending', sent: bytes }))
    let status: RestoreStatus & { text?: string } = await api.call('setup.restore', { body: { token, passphrase } })
    for (;;) {
      const { step, error } = stepOf(status)
      const { text } = status
      tell({ step, sent, ...(error !== undefined && { error }), ...(text !== undefined && { text }) })
      if (step === 'restored' || step === 'refused') return
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
      status = await api.call('setup.restoreStatus').catch((failure: unknown) => {
        const away = failure instanceof NetworkError || (failure instanceof ApiError && failure.status >= 500)
        if (!away) throw failure
        const text = failure instanceof ApiError && failure.code === 'restoring' ? { text: failure.message } : {}
        return { phase: 'restoring' as const, ...text }
      })
    }
  } catch (error) {
    tell({ step: 'refused', sent: 0, error: error instanceof Error ? error.message : String(error) })
  }
}

/** @throws ApiError, NetworkError */
function send(file: File, headers: { authorization: string }, onSent: (bytes: number) => void): Promise<void> {
  const [method, address] = routeMap['setup.upload']
  return new Promise((resolve, reject) => {
    // `fetch` does not tell how much of a body has gone.
    const request = new XMLHttpRequest()
    request.open(method, address)
    request.responseType = 'json'
    request.setRequestHeader('authorization', headers.authorization)
    request.setRequestHeader('content-type', 'application/octet-stream')
    request.upload.onprogress = ({ loaded }) => onSent(loaded)
    request.onload = () =>
      request.status === 200
        ? resolve()
        : reject(new ApiError(request.status, (request.response as Partial<ApiError['reply']> | null) ?? {}))
    request.onerror = () => reject(new NetworkError('The file could not be uploaded'))
    request.send(file)
  })
}
