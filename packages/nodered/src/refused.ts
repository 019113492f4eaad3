import { limits } from '@app/contract/constants'
import { endlessFlows } from './refused.start.ts'
import { flowsReplaced } from './plugins/storage.plugin.ts'
import type { ErrorHandler, Middleware, NodeRed } from './stack.ts'

/** Has `keep` called with every deploy that Node-RED refuses since another came in between. */
export function watchRefused(
  nodeRed: NodeRed,
  keep: (flows: Record<string, unknown>[], user: object | null | undefined) => Promise<void>,
  onLost: (reason: string) => void,
): void {
  const { flows: api } = nodeRed.runtime
  const setFlows = api.setFlows.bind(api)
  api.setFlows = async (options) => {
    try {
      return await setFlows(options)
    } catch (error) {
      const { code } = error as { code?: string }
      const flows = options.flows?.flows
      if (code === 'version_mismatch' && Array.isArray(flows))
        keep(flows, options.user).catch((reason: unknown) => onLost(String(reason)))
      throw error
    }
  }
}

/** The editor shows the text of a failed deploy as it came, and people should not have to read JSON. */
export const plainRefusal: Middleware = (_request, given, next) => {
  const response = given as {
    json(body: unknown): unknown
    type(name: string): { send(text: unknown): unknown }
  }
  response.json = (body) => {
    const { code, message } = (body ?? {}) as { code?: unknown; message?: unknown }
    if (code === flowsReplaced || code === endlessFlows) return response.type('text/plain').send(message)
    return (Object.getPrototypeOf(response) as typeof response).json.call(response, body)
  }
  next()
}

/** A body beyond the limit is refused with a sentence; Express would send a page that shows where its files lie. */
export const refuseTooLarge: ErrorHandler = (error, _request, given, next) => {
  if ((error as { type?: unknown }).type !== 'entity.too.large') return next(error)
  const answer = given as { status(code: number): { json(body: unknown): void } }
  const message = `At most ${limits.flowsBytes / 1024 ** 2} MB can be sent at once. Nothing was saved.`
  answer.status(413).json({ code: 'too_large', message })
}
