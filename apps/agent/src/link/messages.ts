import type { ProjectLink } from '@app/contract/runtime'
import { writeWhole } from '@app/drivers/local'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DeviceFile } from '../agent.config.ts'
import type { PlatformLink } from './platform.link.ts'

/** Settings of the nodes for messages, from the file of the device; undefined when it names no broker. */
export function linkOf({ brokerURL: url, brokerUsername: username, brokerPassword: password }: DeviceFile) {
  if (url === undefined || username === undefined || password === undefined) return undefined
  const [, team = ''] = username.split(':')
  return { team, broker: { url, username, password } } satisfies ProjectLink
}

/** Asks for the instances of a team. While the platform does not answer, the last answer holds, which is on disk. */
export function instanceList(dir: string, link: Pick<PlatformLink, 'instances'>) {
  const file = join(dir, 'instances.json')
  let known: string | undefined

  return async (team: string): Promise<object> => {
    try {
      const answer = await link.instances(team)
      const text = JSON.stringify(answer)
      if (text !== known) writeWhole(file, text)
      known = text
      return answer
    } catch (error) {
      try {
        return JSON.parse(readFileSync(file, 'utf8')) as object
      } catch {
        throw error
      }
    }
  }
}
