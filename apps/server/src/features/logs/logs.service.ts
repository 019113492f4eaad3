import { isAtLeast, isOfNode, limits, lineNodeText, type LogEntry, type LogFilter } from '@app/contract'
import { type Driver, DriverError, type LogQuery } from '@app/drivers'
import { Readable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import type { Clock } from '../../platform/clock.ts'
import { fail } from '../../platform/http/failure.ts'
import { type InstanceRow, shownState } from '../instances/index.ts'

/** A search looks through so many lines at a time, and so many times in a call. */
const chunkLines = 1_000
const chunksMax = 20

export type Logs = ReturnType<typeof createLogs>
export interface LogPageQuery extends LogFilter {
  cursor?: string | undefined
  limit?: number | undefined
}

/** The logs of instances: by page, searched, and as a file. Never more than a few pages are in memory. */
export function createLogs({ driver, clock }: { driver: Driver; clock: Clock }) {
  return {
    /** Lines oldest first; `previous_cursor` leads to older ones, `next_cursor` to newer ones. */
    async page(instance: InstanceRow, { cursor, limit = limits.logPage, ...filter }: LogPageQuery) {
      refuseSuspended(instance)
      const isForward = cursor !== undefined && !cursor.startsWith('-')
      const look = isForward ? searchForward : searchBack
      const { log, older, newest } = await look(instance.id, cursor, limit, filter)
      return {
        meta: { ...(older ? { previous_cursor: `-${older}` } : {}), ...(newest ? { next_cursor: newest } : {}) },
        log,
      }
    },

    /** The whole log as a file; it is read while it is sent. */
    async file(instance: InstanceRow, { format, ...filter }: LogFilter & { format: 'text' | 'ndjson' }) {
      refuseSuspended(instance)
      const first = await read(instance.id, { cursor: '0', limit: chunkLines })
      const text = format === 'text'
      return {
        name: `${instance.name}.${text ? 'log' : 'ndjson'}`,
        type: text ? 'text/plain; charset=utf-8' : 'application/x-ndjson; charset=utf-8',
        content: Readable.from(chunks(instance.id, first, matcher(filter), text ? textLine : jsonLine)),
      }
    },
  }

  function refuseSuspended(instance: InstanceRow): void {
    if (shownState(instance, clock.now()) === 'suspended' && instance.asleep === 0) throw fail('project_suspended')
  }

  /** Once the head of the answer is sent, a failure can only break it off. */
  async function* chunks(
    id: string,
    first: LogEntry[],
    matches: (entry: LogEntry) => boolean,
    write: (entry: LogEntry) => string,
  ): AsyncGenerator<string> {
    for (let page = first; page.length > 0; ) {
      const text = page.filter(matches).map(write).join('')
      if (text !== '') yield text
      page = await read(id, { cursor: page.at(-1)!.ts, limit: chunkLines })
    }
  }

  async function searchForward(id: string, cursor: string | undefined, limit: number, filter: LogFilter) {
    const matches = matcher(filter)
    const log: LogEntry[] = []
    let newest = cursor!
    for (let chunk = 0; chunk < chunksMax && log.length < limit; chunk += 1) {
      const wanted = isEmpty(filter) ? limit : chunkLines
      const lines = await read(id, { cursor: newest, limit: wanted })
      const found = lines.filter(matches).slice(0, limit - log.length)
      log.push(...found)
      newest = (log.length < limit ? lines : found).at(-1)?.ts ?? newest
      if (lines.length < wanted) break
    }
    return { log, newest, older: undefined }
  }

  async function searchBack(id: string, cursor: string | undefined, limit: number, filter: LogFilter) {
    const matches = matcher(filter)
    // One more than asked for tells whether there is anything older.
    const wanted = isEmpty(filter) ? limit + 1 : chunkLines
    let log: LogEntry[] = []
    let newest: string | undefined
    let from = cursor
    let isMore = true
    for (let chunk = 0; chunk < chunksMax && isMore && log.length <= limit; chunk += 1) {
      const lines = await read(id, { limit: wanted, ...(from ? { cursor: from } : {}) })
      log = [...lines.filter(matches), ...log]
      newest ??= lines.at(-1)?.ts
      isMore = lines.length === wanted
      from = lines[0] ? `-${lines[0].ts}` : from
    }
    const page = log.slice(-limit)
    // The next page continues where this one begins, or where the search stopped if it did not fill the page.
    const older = log.length > limit ? page[0]?.ts : isMore ? from?.slice(1) : undefined
    return { log: page, newest, older }
  }

  async function read(id: string, query: LogQuery): Promise<LogEntry[]> {
    try {
      return await driver.logs(id, query)
    } catch (error) {
      if (error instanceof DriverError) throw fail('connection_refused')
      throw error
    }
  }
}

const isEmpty = ({ level, search, node }: LogFilter) => level === undefined && !search && node === undefined

function matcher({ level, search = '', node }: LogFilter): (entry: LogEntry) => boolean {
  const wanted = search.toLowerCase()
  return (entry) =>
    (level === undefined || isAtLeast(entry.level, level)) &&
    (node === undefined || (entry.node !== undefined && isOfNode(entry.node, node))) &&
    (wanted === '' || plain(entry.msg).toLowerCase().includes(wanted))
}

/** Flows may colour what they log. */
const plain = (msg: string) => (msg.includes('\u001b') ? stripVTControlCharacters(msg) : msg)
const jsonLine = (entry: LogEntry) => `${JSON.stringify(entry)}\n`
const textLine = ({ ts, level, src, node, msg }: LogEntry) =>
  `${new Date(Number(ts.slice(0, 13))).toISOString()} ${level}${src ? ` [${src}]` : ''}${node ? ` (${lineNodeText(node)})` : ''} ${plain(msg)}\n`
