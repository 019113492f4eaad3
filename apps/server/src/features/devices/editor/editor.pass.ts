import { editorProofHeader, limits } from '@app/contract'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { sendNotice, type Notice } from '../../../platform/proxy/index.ts'
import { editorPaths } from './editor.hosts.ts'
import { type Tunnel, TunnelError } from './tunnel.ts'

/** Headers of browsers that the device must not see, and those that the tunnel makes anew. */
const held = new Set([
  'cookie',
  'authorization',
  'connection',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
  'transfer-encoding',
  'content-length',
  'expect',
  'forwarded',
  editorProofHeader,
  // The length is counted here and a page gets a script, so answers come uncompressed.
  'accept-encoding',
])
/** Headers of the device that the tunnel makes anew, and those that it must not set in a browser. */
const dropped = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'content-encoding',
  'set-cookie',
  'clear-site-data',
  'strict-transport-security',
  'alt-svc',
  'service-worker-allowed',
])

const tooLarge: Notice = { status: 413, code: 'too_large', title: 'Too large', text: 'The request is too large.' }
const lost = (text: string): Notice => ({
  status: 502,
  code: 'device_unreachable',
  title: 'No answer',
  text: `${text}.`,
})

/** Passes a request of the editor's page on to the device, with the token of the tunnel and the proof of who makes it. */
export async function pass(
  tunnel: Tunnel,
  proof: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await bodyOf(request)
  if (!body) return sendNotice(request, response, tooLarge)
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => !held.has(name) && !name.startsWith('x-forwarded')),
  )
  try {
    const answer = await tunnel.request({
      method: request.method ?? 'GET',
      url: request.url ?? '/',
      headers: { ...headers, authorization: `Bearer ${tunnel.token}`, [editorProofHeader]: proof },
      ...(body.length > 0 ? { body } : {}),
    })
    const isPage = String(answer.headers['content-type'] ?? '').includes('text/html')
    const content = isPage ? withScript(answer.body) : answer.body
    for (const [name, value] of Object.entries(answer.headers))
      if (!dropped.has(name.toLowerCase())) response.setHeader(name, value)
    response.setHeader('content-security-policy', "frame-ancestors 'self'")
    response.setHeader('referrer-policy', 'same-origin')
    if (request.method !== 'HEAD' && answer.status !== 204 && answer.status !== 304)
      response.setHeader('content-length', content.length)
    response.writeHead(answer.status).end(content)
  } catch (error) {
    if (!(error instanceof TunnelError)) throw error
    sendNotice(request, response, lost(error.message))
  }
}

/** The page of the editor, which says when the device is away. */
function withScript(page: Buffer): Buffer {
  const text = page.toString()
  const at = text.lastIndexOf('</body>')
  if (at === -1) return page
  return Buffer.from(`${text.slice(0, at)}<script src="${editorPaths.script}"></script>${text.slice(at)}`)
}

/** Undefined for a body that is too long. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length
    if (length > limits.flowsBytes) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}
