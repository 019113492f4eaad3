import { logEnds, type DeviceLogEntry } from '@app/contract'
import { WebSocket } from 'ws'
import { until } from './build.ts'

/** Somebody who has the log of a device open. @throws Error with the status of a refusal. */
export async function watchLog(address: string, deviceId: string, headers: Record<string, string>) {
  const socket = new WebSocket(`${address.replace(/^http/, 'ws')}/api/v1/devices/${deviceId}/logs`, { headers })
  const frames: (DeviceLogEntry | DeviceLogEntry[])[] = []
  const end = Promise.withResolvers<keyof typeof logEnds | number>()
  socket.on('message', (data) => frames.push(JSON.parse((data as Buffer).toString()) as DeviceLogEntry[]))
  socket.on('close', (code) =>
    end.resolve((Object.keys(logEnds) as (keyof typeof logEnds)[]).find((name) => logEnds[name] === code) ?? code),
  )
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve())
    socket.once('unexpected-response', (_request, answer) => reject(new Error(String(answer.statusCode))))
    socket.once('error', reject)
  })
  const messages = () => frames.flat().map(({ msg }) => msg)
  return {
    frames,
    messages,
    /** Resolves once these are the messages so far. */
    shows: async (wanted: string[]) =>
      until(
        async () => messages(),
        (now) => now.length >= wanted.length && now.slice(-wanted.length).every((msg, n) => msg === wanted[n]),
      ),
    /** Why the platform ended it, or the code. */
    ended: end.promise,
    close: () => socket.close(),
  }
}
