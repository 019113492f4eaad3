import {
  ContextDeleted,
  ContextReport,
  type ContextTarget,
  FlowsOpens,
  FlowsReport,
  Paused,
  Released,
  RuntimeInfo,
  type RuntimeCommand,
  WatchLine,
} from '@app/contract/instance-link'
import { request } from 'node:http'
import { createPace } from './pace.ts'
import { controlOf, type ControlTarget } from './where.ts'

const timeoutMs = 2_000
/** Timeout of a whole answer, so that one that trickles in is none. */
const wholeMs = 3_000
/** Timeout of a copy of the whole persistent context: 16 MB take a quarter of a second. */
const copyMs = 30_000
/** Timeout of a call that starts or stops all nodes: Node-RED gives each 15 s to close. */
const nodesMs = 20_000
/** Flows run in the process that answers, so what it says is not to be trusted. */
const answerMax = 1024 * 1024
/**
 * Rate limits of reading what it tells: lines of its state, and of its log by what reading them costs. Its state takes
 * a few lines now and then; its log has bounds of its own, which are lower.
 */
const paceOf = {
  state: { atOnce: 200, perSecond: 20, cost: (lines: number, _length: number) => lines },
  log: { atOnce: 3_000, perSecond: 1_000, cost: (lines: number, length: number) => lines / 6 + length / 4_096 },
}

function ask(target: ControlTarget, method: string, path: string, timeout = timeoutMs) {
  const headers = { authorization: `Bearer ${target.controlToken}` }
  const [where, release] = controlOf(target)
  const call = request({ ...where, method, path, headers, timeout })
  // It is connected by now, or never will be.
  release()
  return call
}

async function call(
  target: ControlTarget,
  method: string,
  path: string,
  { body, timeout = timeoutMs, whole = wholeMs }: { body?: object; timeout?: number; whole?: number } = {},
): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const call = ask(target, method, path, timeout)
  call.on('timeout', () => call.destroy(new Error('The instance does not answer')))
  call.on('error', reject)
  call.on('response', (response) => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => {
      text += chunk
      if (text.length > answerMax) call.destroy(new Error('The answer of the instance is too long'))
    })
    response.on('error', reject)
    response.on('end', () =>
      response.statusCode === 200 ? resolve(text) : reject(new Error(`The instance answered ${response.statusCode}`)),
    )
  })
  call.end(body === undefined ? undefined : JSON.stringify(body))
  const late = setTimeout(() => call.destroy(new Error('The instance does not answer')), whole)
  return JSON.parse(await promise.finally(() => clearTimeout(late)))
}

/** @throws Error when the runtime does not answer or does not accept the token. */
export async function readInfo(target: ControlTarget): Promise<RuntimeInfo> {
  return RuntimeInfo.parse(await call(target, 'GET', '/flowforge/info'))
}

/** @throws Error when the runtime does not answer or refuses. */
export async function sendCommand(target: ControlTarget, command: RuntimeCommand): Promise<void> {
  await call(target, 'POST', '/flowforge/command', { body: command })
}

/** @throws Error when the runtime does not answer, or with anything else. */
export async function askContext(target: ControlTarget): Promise<ContextReport> {
  return ContextReport.parse(await call(target, 'GET', '/flowforge/context'))
}

/** @throws Error when the runtime does not answer, or is of a version that cannot tell. */
export async function askFlows(target: ControlTarget): Promise<FlowsReport> {
  return FlowsReport.parse(await call(target, 'GET', '/flowforge/flows'))
}

/** Has it write a copy of its persistent context. @throws Error when the runtime does not answer or cannot. */
export async function copyContext(target: ControlTarget, name: string): Promise<void> {
  const body: RuntimeCommand = { cmd: 'context-copy', name }
  await call(target, 'POST', '/flowforge/command', { body, timeout: copyMs, whole: copyMs })
}

/** Reads the resources the process has open. @throws Error when the runtime does not answer. */
export async function askOpens(target: ControlTarget): Promise<FlowsOpens> {
  return FlowsOpens.parse(await call(target, 'GET', '/flowforge/opens'))
}

/** Has it start or stop all its nodes, which takes longer than other commands. */
const commandNodes = (target: ControlTarget, body: RuntimeCommand) =>
  call(target, 'POST', '/flowforge/command', { body, timeout: nodesMs, whole: nodesMs })

/** Stops its flows; returns since when. @throws Error when the runtime does not answer or refuses. */
export async function pauseFlows(target: ControlTarget, keep: readonly string[]): Promise<number> {
  return Paused.parse(await commandNodes(target, { cmd: 'pause', keep: [...keep] })).since
}

/** Starts the flows that were stopped. @throws Error when the runtime does not answer or refuses. */
export async function resumeFlows(target: ControlTarget): Promise<void> {
  await commandNodes(target, { cmd: 'resume' })
}

/** Starts flows that were only loaded, with their inputs closed. @throws Error when the runtime does not answer or refuses. */
export async function startHeldFlows(target: ControlTarget): Promise<void> {
  await commandNodes(target, { cmd: 'start-held' })
}

/** Lets flows act that were held. @throws Error when the runtime does not answer or refuses. */
export async function releaseFlows(target: ControlTarget, since: number): Promise<Released> {
  return Released.parse(await commandNodes(target, { cmd: 'release', since }))
}

/** Returns how many values were deleted. @throws Error when the runtime does not answer or refuses. */
export async function deleteContext(target: ControlTarget, what: ContextTarget): Promise<number> {
  return ContextDeleted.parse(
    await call(target, 'POST', '/flowforge/command', { body: { cmd: 'context-delete', ...what } }),
  ).deleted
}

/**
 * Follows what the runtime tells; `logsAfter` asks for log entries too. `onEnd` is called once, when the connection
 * could not be made or has ended, but not after the returned function was called.
 */
export function watchRuntime(
  target: ControlTarget,
  logsAfter: string | undefined,
  onLine: (line: WatchLine) => void,
  onEnd: () => void,
): () => void {
  let open = true
  const end = () => {
    if (open) onEnd()
    open = false
  }
  const call = ask(target, 'GET', `/flowforge/watch${logsAfter === undefined ? '' : `?logs=${logsAfter}`}`, 0)
  call.on('error', end)
  call.on('response', (response) => {
    if (response.statusCode !== 200) call.destroy()
    let rest = ''
    const { cost, ...limits } = logsAfter === undefined ? paceOf.state : paceOf.log
    const pace = createPace(limits)
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      const wait = pace.take(cost(lines.length, chunk.length))
      if (wait > 0) {
        response.pause()
        setTimeout(() => response.resume(), wait).unref()
      }
      if (rest.length > answerMax) call.destroy()
      for (const text of lines) {
        const line = readLine(text)
        if (open && line) onLine(line)
      }
    })
    response.on('error', end)
    response.on('close', end)
  })
  call.end()
  return () => {
    open = false
    call.destroy()
  }
}

function readLine(text: string): WatchLine | undefined {
  try {
    return WatchLine.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
