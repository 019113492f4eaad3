import { request as plain } from 'node:http'
import { request as secure } from 'node:https'

export interface Answer {
  status: number
  type: string
  text: string
}

export interface Sending {
  headers: Record<string, string>
  /** With a body it is a POST. */
  body?: string
  timeoutMs: number
}

/**
 * One HTTP call. Not `fetch`: that would cost each instance 7 MB for nothing that is needed here.
 * Redirects are not followed, as a token must not travel along.
 * @throws Error without an answer in time.
 */
export function send(url: string, { headers, body, timeoutMs }: Sending): Promise<Answer> {
  const request = url.startsWith('https:') ? secure : plain
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  return new Promise((resolve, reject) => {
    const call = request(url, { method: body === undefined ? 'GET' : 'POST', headers: { ...headers, ...length } })
    const timer = setTimeout(() => call.destroy(new Error('The platform did not answer in time')), timeoutMs)
    const fail = (error: Error) => {
      clearTimeout(timer)
      reject(error)
    }
    call.on('error', fail)
    call.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('error', fail)
      response.on('end', () => {
        clearTimeout(timer)
        resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', text })
      })
    })
    call.end(body)
  })
}

export const isOk = ({ status }: Answer) => status >= 200 && status < 300
