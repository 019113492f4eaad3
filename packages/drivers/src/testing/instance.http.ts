import { request } from 'node:http'
import type { Endpoint } from '../driver.ts'
import { reach } from '../proven.ts'

export interface InstanceReply {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

/** Asks an instance at its endpoint, as the platform's proxy does. A body is sent as JSON, `text` as it is. */
export function askInstance(
  endpoint: Endpoint,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: unknown; text?: string } = {},
) {
  const { method = options.body === undefined ? 'GET' : 'POST', headers = {}, body } = options
  return new Promise<InstanceReply>((resolve, reject) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const call = request(
      { ...reach(endpoint), path, method, headers: { host: 'instance.test', ...type, ...headers } },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
      },
    )
    call.on('error', reject)
    call.end(body === undefined ? options.text : JSON.stringify(body))
  })
}

/** Signs in to an editor as a browser does, by way of the platform. Returns the token for the editor's own calls. */
export async function signIn(endpoint: Endpoint, adminRoot = ''): Promise<string> {
  const begun = await askInstance(endpoint, `${adminRoot}/auth/strategy`)
  const [cookie] = [begun.headers['set-cookie']].flat()
  const allowed = await fetch(String(begun.headers.location), { redirect: 'manual' })
  const callback = new URL(allowed.headers.get('location') ?? '')
  const back = await askInstance(endpoint, callback.pathname + callback.search, {
    headers: { cookie: String(cookie).split(';')[0] ?? '' },
  })
  // As they stand: these are not encoded, and the editor reads them so too.
  const [, name, value = ''] = /\?(\w+)=(.*)$/.exec(String(back.headers.location)) ?? []
  if (name === 'access_token') return value
  if (name !== 'code') throw new Error(`Sign-in ended at ${String(back.headers.location)}`)
  const token = await askInstance(endpoint, `${adminRoot}/auth/token`, { body: { code: value } })
  return (JSON.parse(token.text) as { accessToken: string }).accessToken
}

/** Signs in to the addresses of flows as a browser does, by way of the platform. Returns the cookie for further requests. */
export async function signInToFlows(endpoint: Endpoint, path: string): Promise<string> {
  const cookieOf = ({ headers }: InstanceReply) => String([headers['set-cookie']].flat()[0]).split(';')[0] ?? ''
  const begun = await askInstance(endpoint, path, { headers: { accept: 'text/html' } })
  const allowed = await fetch(String(begun.headers.location), { redirect: 'manual' })
  const { pathname, search } = new URL(allowed.headers.get('location') ?? '')
  return cookieOf(await askInstance(endpoint, pathname + search, { headers: { cookie: cookieOf(begun) } }))
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
