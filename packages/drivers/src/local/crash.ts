import { open } from 'node:fs/promises'
import { readLogs } from './logs.reader.ts'
import type { Places } from './places.ts'
import type { InstanceRecord } from './record.store.ts'

const lastLines = 20
const reasonMax = 300
/** The JavaScript engine needs less for its last words. */
const tailBytes = 32 * 1024

export const memoryReason = ({ memory }: Pick<InstanceRecord, 'memory'>) =>
  `Node-RED ran out of memory: its stack allows ${memory} MB`

/** Why did a process end that nobody asked to? One sentence, from its last words. */
export async function crashReason(places: Places, { startedAt, memory }: InstanceRecord): Promise<string> {
  const output = await readTail(places.output)
  if (output.includes('heap out of memory')) return memoryReason({ memory })
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

/** The end of a file; programs that a flow starts may have written any amount before it. */
async function readTail(path: string): Promise<string> {
  const file = await open(path).catch(() => undefined)
  if (!file) return ''
  try {
    const { size } = await file.stat()
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.alloc(tailBytes),
      position: Math.max(0, size - tailBytes),
    })
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}
