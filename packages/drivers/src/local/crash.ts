import { readFile } from 'node:fs/promises'
import { readLogs } from './logs.reader.ts'
import type { Places } from './places.ts'
import type { InstanceRecord } from './record.store.ts'

const lastLines = 20
const reasonMax = 300

/** Why did a process end that nobody asked to? One sentence, from its last words. */
export async function crashReason(places: Places, { startedAt, memory }: InstanceRecord): Promise<string> {
  const output = await readFile(places.output, 'utf8').catch(() => '')
  if (output.includes('heap out of memory')) {
    return `Node-RED ran out of memory: its stack allows ${memory} MB`
  }
  const entries = await readLogs(places.logDir, { limit: lastLines })
  const ofThisRun = entries.filter(({ ts }) => ts >= `${startedAt}0000`)
  const fatal = ofThisRun.findLast(({ level }) => level === 'fatal')
  if (fatal) return firstLine(fatal.msg)
  const stopped = ofThisRun.findLast(({ msg }) => msg.startsWith('Stopping ('))
  if (stopped) return 'Node-RED was ended from outside the platform'
  const printed = firstLine(output.trim())
  return printed ? `Node-RED ended unexpectedly: ${printed}` : 'Node-RED ended unexpectedly'
}

const firstLine = (text: string) => (text.split('\n')[0] ?? '').slice(0, reasonMax)
