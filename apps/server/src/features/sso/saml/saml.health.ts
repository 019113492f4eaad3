import type { Services } from '../../../platform/features/services.ts'
import { fine, type Finding, type Look, off, warning } from '../../../platform/health/check.ts'
import { listActiveProviders } from '../sso.store.ts'
import { optionsOf } from '../sso.view.ts'
import { expiringOf } from './saml.expiry.ts'

/** The check tells administrators which SAML provider needs a new certificate. */
export function samlChecks({
  clock,
  database,
  ssoDomains,
}: Pick<Services, 'clock' | 'database' | 'ssoDomains'>): Look[] {
  async function run(): Promise<Finding> {
    if (!(await ssoDomains.isOn())) return off('Single sign-on is off.')
    const rows = (await listActiveProviders(database.read)).filter(({ type }) => type === 'saml')
    if (rows.length === 0) return off('No SAML provider is active.')
    const now = clock.now()
    const expiring = rows.flatMap((row) => {
      const one = expiringOf(optionsOf(row), now)
      if (!one) return []
      const day = new Date(one.expiresAt).toISOString().slice(0, 10)
      return [`The certificate of ${row.name} ${one.expiresAt <= now ? 'expired' : 'expires'} on ${day}.`]
    })
    return expiring.length > 0 ? warning('SSO01', expiring.join(' ')) : fine('No signing certificate expires soon.')
  }
  return [{ part: 'Single sign-on', run }]
}
