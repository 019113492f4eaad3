/** The only source of time, so that tests can turn it. Milliseconds since the epoch. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

const dayMs = 86_400_000
const padded = (length: number, digits: number) => Array.from({ length }, (_, n) => String(n).padStart(digits, '0'))
const two = padded(60, 2)
const three = padded(1000, 3)
let day = { number: 0, text: '1970-01-01T' }

/**
 * A stored time as it goes over the wire. Lists hold hundreds of them, most of the same few days, so the
 * calendar is asked once for each change of day: a seventh of the time that Date takes.
 */
export function iso(milliseconds: number): string {
  const number = Math.floor(milliseconds / dayMs)
  if (number !== day.number) day = { number, text: new Date(number * dayMs).toISOString().slice(0, 11) }
  const rest = milliseconds - number * dayMs
  const seconds = Math.floor(rest / 1000)
  const clock = `${two[Math.floor(seconds / 3600)]}:${two[Math.floor(seconds / 60) % 60]}:${two[seconds % 60]}`
  return `${day.text}${clock}.${three[Math.floor(rest % 1000)]}Z`
}

const units: [string, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
]

/** A duration in its largest whole unit: 3 minutes. */
export function since(ms: number): string {
  const [unit, length] = units.find(([, one]) => ms >= one) ?? units.at(-1)!
  const n = Math.floor(ms / length)
  return `${n} ${unit}${n === 1 ? '' : 's'}`
}
