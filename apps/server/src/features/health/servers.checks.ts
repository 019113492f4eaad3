import type { HostState } from '../hosting/index.ts'
import { broken, fine, type Finding, warning } from './check.ts'

/** Where the instances run, and what is known of those who ran them before. */
export function judgeHost({ at, name, silentSeconds, former, stopped, blocked }: HostState): Finding {
  if (at === 'nowhere')
    return broken(
      'HOST01',
      silentSeconds === undefined
        ? 'No server runs the instances: the one that did was stopped.'
        : `The server that runs the instances, ${name}, was last heard of ${silentSeconds} s ago.`,
    )
  if (blocked) return broken('HOST04', `${blocked}.`)
  if (stopped)
    return warning(
      'HOST03',
      stopped === 'done' ? 'All instances were stopped by command.' : 'All instances are being stopped by command.',
    )
  if (former)
    return warning(
      'HOST02',
      `The instances were taken over from ${former.name} on ${new Date(former.at).toISOString().slice(0, 16).replace('T', ' ')} UTC, and it has not said since that its processes ended.`,
    )
  return fine(
    at === 'here'
      ? 'The instances run on this server.'
      : `The instances run on ${name}, heard of ${silentSeconds} s ago.`,
  )
}

export function judgeKey({ isReplacing, isOutdated }: { isReplacing: boolean; isOutdated: boolean }): Finding {
  if (isReplacing) return warning('KEY01', 'The master key is being replaced.')
  if (isOutdated) return warning('KEY02', 'The settings of this server name a former master key.')
  return fine('The server has the master key of the database.')
}

export const judgeMoved = (count: number): Finding =>
  count === 0
    ? fine('Every instance knows the addresses of today.')
    : warning('ADDR04', `${count} run with former addresses.`)
