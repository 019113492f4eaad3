/** The only source of time, so that tests can turn it. Milliseconds since the epoch. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** A stored time as it goes over the wire. */
export function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
