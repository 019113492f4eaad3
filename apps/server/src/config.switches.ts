import { type Switch, switches, type Switches } from '@app/contract/switches'
import { listed } from './config.values.ts'

/** Extra commas are no names. */
const namesIn = (text: string): string[] => listed(text).filter((name) => name !== '')

/** Names of all switches. */
export const switchNames = Object.keys(switches) as Switch[]

/** Does a text list switches only, with commas between them? */
export const areSwitches = (text: string): boolean => namesIn(text).every((name) => Object.hasOwn(switches, name))

/** Every switch, on. */
export const allOn: Switches = switchesWithout('')

/** Every switch: off when the text lists it, else on. */
export function switchesWithout(off: string): Switches {
  const names = namesIn(off)
  return Object.fromEntries(switchNames.map((name) => [name, !names.includes(name)])) as Switches
}
