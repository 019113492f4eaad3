import { coerce, satisfies } from 'semver'

/** The Node.js that each Node-RED asks for, the newest first. */
const nodejsFor: readonly (readonly [major: number, nodejs: string])[] = [
  [5, '22.9.0'],
  [4, '18.5.0'],
  [3, '14.0.0'],
]

const nodejsNeeded = (nodered: string) => nodejsFor.find(([major]) => (coerce(nodered)?.major ?? 0) >= major)?.[1]

/** Is this Node.js in this range of versions? */
export const satisfiedBy = (nodejs: string, range: string) => satisfies(coerce(nodejs) ?? '0.0.0', range)

/** The needs that a Node-RED has of Node.js, as a sentence without its stop, and who meets it; undefined: nothing is known. */
export function nodejsNeed(nodered: string) {
  const needed = nodejsNeeded(nodered)
  return needed === undefined
    ? undefined
    : {
        sentence: `Node-RED ${nodered} needs Node.js ${needed.replace(/\.0$/, '')} or later`,
        isMetBy: (nodejs: string) => satisfiedBy(nodejs, `>=${needed}`),
      }
}
