import type { LaunchSpec, RuntimeCommand, RuntimeInfo, WatchLine } from '@app/contract/instance-link'
import type { FlowsWatch, LogWriter, PersistentContext, Takeover } from '@app/nodered'
import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Heart } from './beat.ts'
import type { Status } from './status.ts'
import { readUsage } from './usage.ts'

export interface ControlOptions {
  launch: LaunchSpec
  log: LogWriter
  status: Status
  context: PersistentContext
  flows: FlowsWatch
  heart: Heart
  healthy(): Promise<boolean>
  logout(token: string): Promise<void>
  /** Reads the protection of the addresses of flows again and enforces it. */
  protect(): Promise<void>
  /** @throws Error while Node-RED has not started. */
  takeover(): Takeover
  shutdown(): void
}

const bodyMax = 16 * 1024
const commands: readonly string[] = [
  'shutdown',
  'logout',
  'alone',
  'protect',
  'pause',
  'resume',
  'start-held',
  'release',
  'context-delete',
  'context-copy',
  'context-drop',
] satisfies RuntimeCommand['cmd'][]
const digest = (text: string) => createHash('sha256').update(text).digest()

/**
 * Answers the platform on the control socket:
 * GET /flowforge/info, /flowforge/logs, /flowforge/context, /flowforge/flows, /flowforge/opens, /flowforge/health-check,
 * /flowforge/watch[?logs=<ts>], POST /flowforge/command.
 * Every call needs the control token; without it the answer is 401.
 */
export function createControlServer(options: ControlOptions): Server {
  const expected = digest(`Bearer ${options.launch.controlToken}`)
  return createServer((request, response) => {
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected))
      return send(response, 401, { error: 'unauthorized' })
    route(options, request, response).catch(() => send(response, 500, { error: 'unexpected_error' }))
  })
}

async function route(options: ControlOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://control')
  switch (`${request.method} ${pathname}`) {
    case 'GET /flowforge/info':
      return send(response, 200, {
        id: options.launch.id,
        pid: process.pid,
        ...options.status.get(),
        ...(tellsUsage(options) ? { usage: readUsage() } : {}),
      } satisfies RuntimeInfo)
    case 'GET /flowforge/logs':
      return send(response, 200, options.log.recent())
    case 'GET /flowforge/context':
      return send(response, 200, options.context.report())
    case 'GET /flowforge/flows':
      return send(response, 200, options.flows.report())
    case 'GET /flowforge/opens':
      return send(response, 200, options.takeover().opens())
    case 'GET /flowforge/health-check': {
      const healthy = await options.healthy()
      return send(response, healthy ? 200 : 500, { healthy })
    }
    case 'GET /flowforge/watch':
      return watch(options, searchParams.get('logs'), response)
    case 'POST /flowforge/command':
      return command(options, request, response)
    default:
      return send(response, 404, { error: 'not_found' })
  }
}

/** The platform asks the kernel about processes on its own machine. */
const tellsUsage = ({ launch }: ControlOptions) => 'port' in launch.answersAt

function watch(options: ControlOptions, logsAfter: string | null, response: ServerResponse): void {
  const { status, heart, log, flows } = options
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  const tell = (line: WatchLine) => response.write(`${JSON.stringify(line)}\n`)
  // With each change of its status too: flows may hold the next beat up.
  const tellUsage = () => tellsUsage(options) && tell({ usage: readUsage() })
  const tellStatus = () => {
    tell({ status: status.get() })
    tellUsage()
  }
  const stop = [status.watch(tellStatus)]
  tellStatus()
  stop.push(
    heart.follow((beat) => {
      tell({ beat })
      tellUsage()
    }),
  )
  stop.push(flows.follow(() => tell({ faults: 'changed' })))
  if (logsAfter !== null) {
    for (const entry of log.recent(logsAfter)) tell({ log: entry })
    stop.push(log.follow((entry) => tell({ log: entry })))
  }
  response.on('close', () => stop.forEach((one) => one()))
}

async function command(
  { log, context, logout, protect, takeover, shutdown }: ControlOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk
    if (text.length > bodyMax) return send(response, 413, { error: 'too_large' })
  }
  const asked = parseJson(text)
  if (!asked || !commands.includes(asked.cmd)) return send(response, 404, { error: 'unknown_command' })
  if (asked.cmd === 'logout') await logout(asked.token)
  if (asked.cmd === 'protect') await protect()
  if (asked.cmd === 'pause') return send(response, 200, { since: await takeover().pause(asked.keep) })
  if (asked.cmd === 'resume') await takeover().resume()
  if (asked.cmd === 'start-held') await takeover().startHeld()
  if (asked.cmd === 'release') return send(response, 200, await takeover().release(asked.since))
  if (asked.cmd === 'context-delete') return send(response, 200, { deleted: context.delete(asked) })
  if (asked.cmd === 'context-copy') return send(response, 200, { copied: context.copy(asked.name) })
  if (asked.cmd === 'context-drop') context.dropCopy(asked.name)
  // Its own start was logged before the end of the other, which would look like the end of all.
  if (asked.cmd === 'alone') log.write('info', 'The previous version has stopped. This one now serves requests')
  if (asked.cmd === 'alone') context.release()
  send(response, 200, {})
  if (asked.cmd === 'shutdown') shutdown()
}

function parseJson(text: string): RuntimeCommand | undefined {
  try {
    return JSON.parse(text) as RuntimeCommand
  } catch {
    return undefined
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
