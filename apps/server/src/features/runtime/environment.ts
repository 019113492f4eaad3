import type { Environment } from '@app/contract'

/** Where a stage stands in its pipeline. */
export interface StagePosition {
  name: string
  isFirst: boolean
  isLast: boolean
}

type Kind = Environment['kind']

/** From the one that matters most. */
const kinds: readonly Kind[] = ['production', 'staging', 'development']

/** The name of a stage counts more than its position. */
const named: [Kind, RegExp][] = [
  ['staging', /\b(staging|test|testing|qa|acceptance|pre-?prod(uction)?)\b/i],
  ['production', /\b(prod|production|live)\b/i],
  ['development', /\b(dev|development|sandbox)\b/i],
]

function kindOf({ name, isFirst, isLast }: StagePosition): Kind {
  const said = named.find(([, pattern]) => pattern.test(name))?.[0]
  // A pipeline of one stage pushes nothing to production yet.
  return said ?? (isFirst ? 'development' : isLast ? 'production' : 'staging')
}

const labels: Record<Kind, string> = { production: 'Production', staging: 'Staging', development: 'Development' }

/** The environment of an instance: as it was set, or in several pipelines the one that asks for the most care. */
export function environmentOf(stages: readonly StagePosition[], set: Kind | null = null): Environment | undefined {
  if (set) return { kind: set, label: labels[set] }
  const found = stages.map((place) => ({ kind: kindOf(place), label: place.name }))
  return kinds.flatMap((kind) => found.filter((one) => one.kind === kind))[0]
}
