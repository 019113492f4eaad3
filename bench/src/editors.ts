import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { freePort, until } from '@app/server/testing'

/** The editor API of a Node-RED, as its own editor calls it. */
export interface Editor {
  /** Deploys these flows in full. @throws Error unless Node-RED takes them. */
  deploy(flows: readonly object[]): Promise<void>
  /** The body of an answer of the flows; empty when there is none. */
  ask(path: string): Promise<string>
}

interface Reply {
  status: number
  location: string
  cookie: string
  text: string
}
interface Call {
  headers?: Record<string, string>
  body?: string
}

function caller(port: number, host: string) {
  return (path: string, { headers = {}, body }: Call = {}) =>
    new Promise<Reply>((resolve, reject) => {
      const type = body === undefined ? {} : { 'content-type': 'application/json' }
      const options = { host: '127.0.0.1', port, path, agent: false as const, headers: { host, ...type, ...headers } }
      const call = request({ ...options, method: body === undefined ? 'GET' : 'POST' }, (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (part: string) => (text += part))
        answer.on('end', () => {
          const cookie = (answer.headers['set-cookie'] ?? []).map((set) => set.split(';')[0]).join('; ')
          resolve({ status: answer.statusCode ?? 0, location: answer.headers.location ?? '', cookie, text })
        })
      })
      call.on('error', reject).end(body)
    })
}

function editorAt(call: ReturnType<typeof caller>, token?: string): Editor {
  const headers: Record<string, string> = {
    'Node-RED-API-Version': 'v2',
    'Node-RED-Deployment-Type': 'full',
    ...(token ? { authorization: `Bearer ${token}` } : {}),
  }
  return {
    async deploy(flows) {
      const { status, text } = await call('/flows', { headers, body: JSON.stringify({ flows }) })
      if (status !== 200) throw new Error(`The deploy was answered ${status}: ${text.slice(0, 200)}`)
    },
    async ask(path) {
      const { status, text } = await call(path)
      return status === 200 ? text : ''
    },
  }
}

/** Signs in to the editor of a running instance as a browser does, through the console of somebody signed in there. */
export async function signInToEditor(port: number, name: string, consoleCookie: string): Promise<Editor> {
  const instance = caller(port, `${name.toLowerCase()}.localhost:${port}`)
  const platform = caller(port, `localhost:${port}`)
  const begun = await instance('/auth/strategy')
  let at = begun.location
  let cookie = consoleCookie
  while (new URL(at).hostname === 'localhost') {
    const { pathname, search } = new URL(at)
    const reply = await platform(pathname + search, { headers: { cookie } })
    if (!reply.location) throw new Error(`The sign-in ended with ${reply.status}: ${reply.text.slice(0, 200)}`)
    cookie = [consoleCookie, reply.cookie].filter(Boolean).join('; ')
    at = new URL(reply.location, at).href
  }
  const { pathname, search } = new URL(at)
  const back = await instance(pathname + search, { headers: { cookie: begun.cookie } })
  const [, way, value = ''] = /\?(\w+)=(.*)$/.exec(back.location) ?? []
  if (way === 'access_token') return editorAt(instance, value)
  const { text } = await instance('/auth/token', { body: JSON.stringify({ code: value }) })
  return editorAt(instance, (JSON.parse(text) as { accessToken: string }).accessToken)
}

/** Gives `work` a Node-RED of this version that nobody manages, with its flows in a file. */
export async function withPlainNodeRed<T>(
  home: string,
  version: string,
  work: (editor: Editor) => Promise<T>,
): Promise<T> {
  const userDir = join(home, `plain-${version}`)
  mkdirSync(userDir, { recursive: true })
  const port = await freePort()
  const settings = join(userDir, 'settings.cjs')
  writeFileSync(
    settings,
    `module.exports = { uiHost: '127.0.0.1', uiPort: ${port}, apiMaxLength: '32mb', flowFile: 'flows.json', credentialSecret: 'plain', telemetry: { enabled: false } }\n`,
  )
  const red = join(home, 'stacks', version, 'node_modules/node-red/red.js')
  const child = spawn(process.execPath, [red, '--userDir', userDir, '--settings', settings], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  const call = caller(port, `127.0.0.1:${port}`)
  try {
    await until(
      () => call('/settings').catch(() => undefined),
      (reply) => reply?.status === 200,
      60_000,
    )
    return await work(editorAt(call))
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}
