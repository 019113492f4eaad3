import { open } from 'node:fs/promises'
import { readLogs } from '../logs/logs.reader.ts'
import type { Paths } from '../paths.ts'
import type { InstanceRecord } from '../record.store.ts'

const lastLines = 20
const reasonMax = 300
/** The JavaScript engine needs less for its last words. */
const tailBytes = 32 * 1024

export const memoryReason = ({ memory }: Pick<InstanceRecord, 'memory'>) =>
  `Node-RED ran out of memory: its stack allows ${memory} MB`

/** Why did a process end that nobody asked to? One sentence, from its last words. */
export async function crashReason(paths: Paths, record: InstanceRecord): Promise<string> {
  const { fault, entries, output } = await readEnd(paths, record)
  if (fault !== undefined) return fault
  if (entries.some(({ msg }) => msg.startsWith('Stopping ('))) return 'Node-RED was ended from outside the platform'
  const printed = firstLine(output.trim())
  return printed ? `Node-RED ended unexpectedly: ${printed}` : 'Node-RED ended unexpectedly'
}

/** Did a process say itself what went wrong? One that is ended by a signal says nothing. */
export const hasSaidWhy = async (paths: Paths, record: InstanceRecord): Promise<boolean> =>
  (await readEnd(paths, record)).fault !== undefined

/** The last lines of the run of a record, what it has printed, and what it said itself about its end. */
async function readEnd({ output: path, logDir }: Paths, { startedAt, memory }: InstanceRecord) {
  const output = await readTail(path)
  const entries = (await readLogs(logDir, { limit: lastLines })).filter(({ ts }) => ts >= `${startedAt}0000`)
  const fatal = entries.findLast(({ level }) => level === 'fatal')
  const fault = output.includes('heap out of memory') ? memoryReason({ memory }) : fatal && firstLine(fatal.msg)
  return { output, entries, fault }
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
