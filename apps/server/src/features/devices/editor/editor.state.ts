import type { IncomingMessage, ServerResponse } from 'node:http'
import { editorPaths } from './editor.hosts.ts'
import type { EditorTunnels } from './editor.tunnels.ts'

/** The page notices when it hears nothing for twice as long. */
const beatMs = 2_000
const wholeMs = 60_000

/** Streams to a page whether the device is connected: at once when that changes, and every two seconds. */
export function answerState(
  tunnels: EditorTunnels,
  deviceId: string,
  { method }: IncomingMessage,
  response: ServerResponse,
): void {
  if (method === 'HEAD') return void response.writeHead(200, { 'cache-control': 'no-store' }).end()
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  const tell = () => response.write(`data: ${tunnels.of(deviceId)?.isHeard() ? 'connected' : 'away'}\n\n`)
  response.write('retry: 200\n\n')
  tell()
  // The page asks again, and is judged again.
  const end = setTimeout(() => response.end(), wholeMs)
  const timer = setInterval(tell, beatMs)
  const unwatch = tunnels.watch(deviceId, tell)
  response.once('close', () => {
    clearInterval(timer)
    clearTimeout(end)
    unwatch()
  })
}

/** Runs in the page of an editor. Changes that are not deployed stay in the page; it only says why they cannot be. */
const script = (door: string): string => `(() => {
  const silentMs = 4000
  const againMs = 2000
  let note, timer
  const say = (text) => {
    if ((note?.text ?? '') === text) return
    note?.shown.close()
    note = text ? { text, shown: RED.notify(text, { type: 'warning', fixed: true, id: 'forge-device' }) } : undefined
  }
  const kept = 'Changes that are not deployed stay in this page. Deploy them when it is back.'
  const wait = () => {
    clearTimeout(timer)
    timer = setTimeout(() => say('The platform does not answer. ' + kept), silentMs)
  }
  // A cookie that another window gets lets this page in, too.
  const door = ' <a href=' + ${JSON.stringify(JSON.stringify(door))} + ' target="_blank">Open the editor in another window</a> to go on here.'
  const look = () => {
    const source = new EventSource(${JSON.stringify(editorPaths.state)})
    source.onmessage = ({ data }) => {
      wait()
      say(data === 'connected' ? '' : 'The device is not connected. ' + kept)
    }
    // A lost connection is opened again by the browser, a refused one is not.
    source.onerror = async () => {
      if (source.readyState !== EventSource.CLOSED) return
      setTimeout(look, againMs)
      const { status } = await fetch(${JSON.stringify(editorPaths.state)}, { method: 'HEAD' }).catch(() => ({}))
      if (status !== 401) return
      clearTimeout(timer)
      say('You are signed out, or may not use this editor any more.' + door)
    }
  }
  const begin = () => {
    if (typeof RED === 'undefined' || !RED.notify) return setTimeout(begin, 200)
    wait()
    look()
  }
  begin()
})()
`
/** `door`: the page of the console that lets people in. */
export function answerScript(door: string, response: ServerResponse): void {
  response
    .writeHead(200, { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-cache' })
    .end(script(door))
}
