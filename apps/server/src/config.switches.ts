import { type Switch, switches, type Switches } from '@app/contract/switches'

const listed = (text: string) =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

/** Names of all switches. */
export const switchNames = Object.keys(switches) as Switch[]

/** Does a text list switches only, with commas between them? */
export const areSwitches = (text: string): boolean => listed(text).every((name) => Object.hasOwn(switches, name))

/** Every switch, on unless the text lists it. */
export function switchesBut(off: string): Switches {
  const names = listed(off)
  return Object.fromEntries(switchNames.map((name) => [name, !names.includes(name)])) as Switches
}
