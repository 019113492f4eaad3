import { HttpProxyAgent, HttpsProxyAgent } from 'hpagent'
import { readFileSync } from 'node:fs'
import { request as plain } from 'node:http'
import { request as secure } from 'node:https'
import { rootCertificates } from 'node:tls'
import { getProxyForUrl } from 'proxy-from-env'
import { AgentError } from '../agent.errors.ts'

export interface Sending {
  method: 'GET' | 'POST'
  url: string
  /** Bearer token. */
  token?: string
  /** Sent as JSON. */
  body?: unknown
}
export interface Answer {
  status: number
  text: string
}
export type Send = (sending: Sending) => Promise<Answer>

const wholeMs = 30_000
const answerMax = 64 * 1024 * 1024

/** Network settings of this machine: a proxy, and a file of certificate authorities to trust. */
export interface Way {
  proxy?: string | undefined
  ca?: string | undefined
}

/**
 * The certificate authorities to trust besides the usual ones, and the proxy for an address, as `node:http` takes them.
 * @throws AgentError ca_unreadable.
 */
export function wayOut({ proxy, ca: file }: Way) {
  return {
    ca: file === undefined ? undefined : [...rootCertificates, readCertificates(file)],
    agentFor(url: string) {
      // The variables of proxies know no schemes of WebSockets.
      const by = proxy ?? getProxyForUrl(url.replace(/^ws/, 'http'))
      if (by === '') return undefined
      return /^(https|wss):/.test(url) ? new HttpsProxyAgent({ proxy: by }) : new HttpProxyAgent({ proxy: by })
    },
  }
}

/**
 * Calls over HTTP, by a proxy where one is set, trusting the certificate authorities of a file besides the public ones.
 * @throws AgentError ca_unreadable; from each call platform_unreachable.
 */
export function createSend(way: Way): Send {
  const { ca, agentFor } = wayOut(way)

  return ({ method, url, token, body }) =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body)
      const headers = {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(text === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
      }
      const agent = agentFor(url)
      const options = { method, headers, ...(agent && { agent }), ...(ca && { ca }) }
      const call = (url.startsWith('https:') ? secure : plain)(url, options)
      const timer = setTimeout(() => call.destroy(new Error('no answer within 30 s')), wholeMs)
      const fail = (cause: Error) => {
        clearTimeout(timer)
        reject(
          new AgentError('platform_unreachable', `${new URL(url).host} cannot be reached: ${cause.message}`, { cause }),
        )
      }
      call.on('error', fail)
      call.on('response', (response) => {
        let answer = ''
        response.setEncoding('utf8').on('data', (part: string) => {
          answer += part
          if (answer.length > answerMax) call.destroy(new Error('the answer is too long'))
        })
        response.on('error', fail)
        response.on('end', () => {
          clearTimeout(timer)
          resolve({ status: response.statusCode ?? 0, text: answer })
        })
      })
      call.end(text)
    })
}

function readCertificates(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new AgentError(
      'ca_unreadable',
      `The certificates in ${path} cannot be read. Correct "ca" in the file of the device.`,
      {
        cause,
      },
    )
  }
}
