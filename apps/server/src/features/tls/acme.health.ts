import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import { broken, fine, type Look, warning } from '../../platform/health/check.ts'
import type { Acme } from './acme.service.ts'
import { countIssued, listFaults } from './acme.store.ts'

const dayMs = 86_400_000
const mostShown = 5

/** Certificates of the ACME server that could not be issued or renewed. Nothing where ACME is off. */
export function acmeChecks({ acme, database, clock }: { acme: Acme; database: Database; clock: Clock }): Look[] {
  if (!acme.isOn) return []
  return [
    {
      part: 'Certificates by ACME',
      async run() {
        const faults = await listFaults(database.read, 1_000)
        const now = clock.now()
        const isUrgent = (expires: number | null) => expires === null || expires - now < 3 * dayMs
        const first = faults.find(({ expires_at }) => isUrgent(expires_at)) ?? faults[0]
        if (!first) {
          const issued = await countIssued(database.read)
          return fine(
            `${issued === 1 ? '1 certificate was' : `${issued} certificates were`} issued, and none has failed.`,
          )
        }
        const sentences = faults.slice(0, mostShown).map(({ name, expires_at, due_at, fault }) => {
          const has = expires_at === null ? 'has no certificate' : `has a certificate until ${dayOf(expires_at)}`
          return `${name} ${has}. ${fault} The next attempt is at ${timeOf(due_at)}.`
        })
        const more = faults.length - sentences.length
        const seen = `${sentences.join(' ')}${more > 0 ? ` ${more} more ${more === 1 ? 'name has' : 'names have'} failed.` : ''}`
        return (isUrgent(first.expires_at) ? broken : warning)(first.fault_code ?? 'TLS11', seen)
      },
    },
  ]
}

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)
const timeOf = (time: number) => `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`
