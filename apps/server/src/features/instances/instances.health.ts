import type { Services } from '../../platform/features/services.ts'
import { fine, type Finding, type Look, warning } from '../../platform/health/check.ts'
import { type Figure, figure } from '../../platform/health/figures.ts'
import { countByObserved, countWanted } from './instances.health.store.ts'

export function instanceChecks({ database, instances }: Pick<Services, 'database' | 'instances'>): Look[] {
  async function running(): Promise<Finding> {
    const { wanted, down } = await countWanted(database.read)
    if (down > 0) return warning('DRV02', `${down} of ${wanted} are not running.`)
    return fine(wanted === 0 ? 'No instance is set to run.' : `${wanted} of ${wanted} running.`)
  }
  async function addresses(): Promise<Finding> {
    const moved = await instances.countMoved()
    return moved === 0
      ? fine('Every instance knows the addresses of today.')
      : warning('ADDR04', `${moved} run with former addresses.`)
  }
  return [
    { part: 'Instances', leads: true, run: running },
    { part: 'Addresses of instances', run: addresses },
  ]
}

export async function instanceFigures({ database }: Pick<Services, 'database'>): Promise<Figure[]> {
  const states = (await countByObserved(database.read)).map(({ state, n }): [number, { state: string }] => [
    n,
    { state },
  ])
  return [figure('flowforge_instances', 'gauge', 'Instances by the state that was seen last.', states)]
}
