/** How a version takes over, and the calls of the driver after which the server is killed. `restart`: with other modules. */
const steps = {
  beside: ['prepareModules', 'pair.startBeside', 'pair.takeOver', 'pair.stop'],
  held: ['pair.startBeside', 'pair.takeOver', 'pair.pause', 'pair.release', 'pair.stop'],
  'stop-first': ['pair.startBeside', 'pair.pause', 'pair.startHeld', 'pair.takeOver', 'pair.release', 'pair.stop'],
  restart: ['stop', 'start'],
} as const
export type Way = keyof typeof steps
export type Kill = readonly [way: Way, at: string]

const all = (Object.keys(steps) as Way[]).flatMap((way) => steps[way].map((at): Kill => [way, at]))

/** The kills after which no version, or two, could act, spread over the two versions of Node-RED. */
const chosen: Record<string, readonly string[]> = {
  '4.1.15': ['beside pair.takeOver', 'held pair.pause', 'stop-first pair.startHeld', 'restart stop'],
  '5.0.7': ['held pair.takeOver', 'held pair.release', 'stop-first pair.pause', 'stop-first pair.takeOver'],
}

/** The kills to try on this Node-RED; with `FORGE_TEST_KILLS=all` every one. Those of HTTP alone come first. */
export const killsOn = (nodered: string): Kill[] =>
  all.filter((kill) => process.env.FORGE_TEST_KILLS === 'all' || chosen[nodered]!.includes(kill.join(' ')))
