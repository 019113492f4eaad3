import type { DeviceLogEntry } from '@app/contract'
import { LogNode } from '@app/contract/instance-link'
import * as z from 'zod/mini'

/** The longest message, in characters: the rest is cut off. */
const msgMax = 64 * 1024
/** Lines, and characters, that a viewer who comes later is given. */
const keptMost = { lines: 1_000, characters: 1024 * 1024 }

/** Agents of the installed base write what they like into a line, or nothing. */
const Line = z.looseObject({
  ts: z.optional(z.unknown()),
  level: z.optional(z.unknown()),
  msg: z.optional(z.unknown()),
  node: z.optional(z.unknown()),
})
const Lines = z.union([z.array(Line), Line])

/** The lines in a message of an agent; undefined when it is none. A line without a time has that of the one before, or `now`. */
export function entriesOf(body: unknown, now: number): DeviceLogEntry[] | undefined {
  const lines = Lines.safeParse(body).data
  if (!lines) return undefined
  let time = `${now}0000`
  return [lines].flat().map(({ ts, level, msg, node }) => ({
    ts: (time = /^\d{13,20}$/.test(String(ts)) ? String(ts) : time),
    level: typeof level === 'string' && level !== '' ? level.slice(0, 20) : 'info',
    msg: (typeof msg === 'string' ? msg : (JSON.stringify(msg) ?? '')).slice(0, msgMax),
    ...nodeOf(node),
  }))
}

function nodeOf(node: unknown): Pick<DeviceLogEntry, 'node'> {
  const known = node === undefined ? undefined : LogNode.safeParse(node).data
  return known ? { node: known } : {}
}

/** The newest lines of a log that is being watched. */
export function createKept() {
  const lines: DeviceLogEntry[] = []
  let characters = 0
  return {
    lines: (): readonly DeviceLogEntry[] => lines,
    add(added: readonly DeviceLogEntry[]): void {
      for (const line of added) {
        lines.push(line)
        characters += line.msg.length
      }
      while (lines.length > keptMost.lines || characters > keptMost.characters) characters -= lines.shift()!.msg.length
    },
  }
}

/** One line as an object, several as an array. */
export const frameOf = (lines: readonly DeviceLogEntry[]): string =>
  JSON.stringify(lines.length === 1 ? lines[0] : lines)
