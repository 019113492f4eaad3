/** Calls of the driver after which the server is killed, by the way of the takeover. `restart`: with other modules. */
const steps = {
  beside: ['prepareModules', 'pair.startCandidate', 'pair.takeOver', 'pair.stop'],
  held: ['pair.startCandidate', 'pair.takeOver', 'pair.pause', 'pair.release', 'pair.stop'],
  'stop-first': ['pair.startCandidate', 'pair.pause', 'pair.startHeld', 'pair.takeOver', 'pair.release', 'pair.stop'],
  restart: ['stop', 'start', 'pair.release'],
} as const
export type Way = keyof typeof steps
export type Kill = readonly [way: Way, at: string]
const ways = Object.keys(steps) as Way[]

const all = ways.flatMap((way) => steps[way].map((at): Kill => [way, at]))
/** The same of versions that are refused, some before they act and some only then. */
const refused = ways.flatMap((way) =>
  (way === 'beside' ? steps.beside.slice(0, 2) : [...steps[way].filter((at) => at !== 'pair.stop'), 'pair.giveBack'])
    .filter((at) => !(way === 'restart' && at === 'pair.giveBack'))
    .map((at): Kill => [way, at]),
)
/** Calls for two replicas, which are replaced one after the other. */
const ofTwo = ['pair.stop', 'pair.start', 'pair.release'].flatMap((at) => [
  ['good', at] as const,
  ['refused', at] as const,
])

/** The kills after which no version, or two, could act, spread over the two versions of Node-RED. */
const chosen: Record<string, readonly string[]> = {
  '4.1.15': ['beside pair.takeOver', 'held pair.pause', 'stop-first pair.startHeld', 'restart stop'],
  '5.0.7': ['held pair.takeOver', 'held pair.release', 'stop-first pair.pause', 'stop-first pair.takeOver'],
}
const chosenRefused: Record<string, readonly string[]> = {
  '4.1.15': ['restart start'],
  '5.0.7': ['held pair.release'],
}
const chosenOfTwo: Record<string, readonly string[]> = {
  '4.1.15': ['refused pair.release'],
  '5.0.7': ['good pair.start'],
}

const among = <K extends readonly string[]>(kills: readonly K[], some: readonly string[]): K[] =>
  kills.filter((kill) => process.env.FORGE_TEST_KILLS === 'all' || some.includes(kill.join(' ')))

/** The kills to try on this Node-RED; with `FORGE_TEST_KILLS=all` every one. Those of HTTP alone come first. */
export const killsOn = (nodered: string) => ({
  good: among(all, chosen[nodered]!),
  refused: among(refused, chosenRefused[nodered]!),
  ofTwo: among(ofTwo, chosenOfTwo[nodered]!),
})
