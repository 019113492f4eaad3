import type { Services } from '../../platform/features/services.ts'
import { fine, type Finding, type Look, off, warning } from '../../platform/health/check.ts'
import { countPasskeys } from './second-factor.store.ts'

/** The check counts the passkeys that a change of the public address has made useless. */
export function passkeyChecks({ config, database }: Pick<Services, 'config' | 'database'>): Look[] {
  async function run(): Promise<Finding> {
    const { hostname } = new URL(config.baseUrl)
    const counts = await countPasskeys(database.read)
    const sum = (of: typeof counts) => of.reduce((total, { passkeys }) => total + passkeys, 0)
    const former = counts.filter(({ host }) => host !== null && host !== hostname)
    if (counts.length === 0) return off('Nobody has a passkey.')
    if (former.length === 0) return fine(`${sum(counts)} in use.`)
    const names = former.map(({ host }) => host).join(', ')
    return warning(
      'PASS01',
      `${sum(former)} of ${sum(counts)} ${sum(former) === 1 ? 'belongs' : 'belong'} to ${names}.`,
    )
  }
  return [{ part: 'Passkeys', run }]
}
