import type { BulkResult } from '@app/contract'

/** So many names stand before a reason. */
const most = 3

/** Why something could not be done to devices: each reason once, after the devices it is true of. */
export function reasonsOf(refused: BulkResult['refused']): string {
  const byReason = Map.groupBy(refused, ({ error }) => error)
  return [...byReason].map(([error, devices]) => `${namesOf(devices)}: ${sentence(error)}`).join(' ')
}

function namesOf(devices: BulkResult['refused']): string {
  const names = devices.slice(0, most).map(({ name }) => name ?? 'a device that is gone')
  const more = devices.length - names.length
  return `${names.join(', ')}${more > 0 ? ` and ${more.toLocaleString()} more` : ''}`
}

const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`)
