import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { type IncomingMessage, request as plain } from 'node:http'
import { request as secure } from 'node:https'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { AgentError } from '../agent.errors.ts'
import { type Way, wayOut } from './http.client.ts'

const silentMs = 60_000
const wholeMs = 30 * 60_000
/** Several times a package. */
const most = 512 * 1024 * 1024
/** Pauses before a download that broke off begins again. */
const againMs = [1_000, 5_000, 15_000]

export type FetchPackage = ReturnType<typeof createFetchPackage>

/** Downloads packages of the agent, which the platform serves to everybody. @throws AgentError ca_unreadable. */
export function createFetchPackage(way: Way) {
  const { ca, agentFor } = wayOut(way)

  const open = (url: string, signal: AbortSignal) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const agent = agentFor(url)
      const options = { ...(agent && { agent }), ...(ca && { ca }), signal }
      const call = (url.startsWith('https:') ? secure : plain)(url, options)
      call.setTimeout(silentMs, () => call.destroy(new Error('no data within 60 s')))
      call.on('error', reject).on('response', resolve).end()
    })

  async function once(url: string, file: string): Promise<string> {
    const signal = AbortSignal.timeout(wholeMs)
    const answer = await open(url, signal)
    if (answer.statusCode !== 200) {
      answer.destroy()
      throw new AgentError('platform_failing', `The platform answered the download with ${answer.statusCode}`)
    }
    const hash = createHash('sha256')
    let size = 0
    await pipeline(
      answer,
      async function* (parts: AsyncIterable<Buffer>) {
        for await (const part of parts) {
          size += part.length
          if (size > most) throw new AgentError('platform_failing', 'The download is too long for a package')
          hash.update(part)
          yield part
        }
      },
      createWriteStream(file, { mode: 0o600 }),
      { signal },
    )
    return hash.digest('hex')
  }

  /** @throws AgentError checksum_mismatch, platform_failing, platform_unreachable; ENOSPC when the disk is full. */
  return async (url: string, file: string, sha256: string): Promise<void> => {
    for (const pause of [...againMs, undefined]) {
      try {
        if ((await once(url, file)) === sha256) return
        throw new AgentError(
          'checksum_mismatch',
          'The download is damaged, or the platform was updated meanwhile. Order the update again.',
        )
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException
        if (error instanceof AgentError || code === 'ENOSPC' || code === 'EDQUOT') throw error
        if (pause === undefined)
          throw new AgentError('platform_unreachable', `The package cannot be downloaded: ${message}`, { cause: error })
        await delay(pause)
      }
    }
  }
}
