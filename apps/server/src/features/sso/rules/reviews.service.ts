import * as z from 'zod/mini'
import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/db/database.ts'
import type { Tx } from '../../../platform/db/tables.ts'
import { defineJob } from '../../../platform/jobs/definition.ts'
import type { Jobs } from '../../../platform/jobs/jobs.ts'
import { lockUser } from '../../account/index.ts'
import { keepSignIn } from '../sign-in.records.ts'
import { findProvider, type ProviderRow } from '../sso.store.ts'
import { deleteReviews, insertReviews, nextReviews, takeReview } from './reviews.store.ts'
import { noGroups } from './rules.sentences.ts'
import type { SsoRules } from './rules.service.ts'

export interface SsoReviewsDependencies {
  database: Database
  clock: Clock
  jobs: Jobs
  ssoRules: Pick<SsoRules, 'apply'>
}

export type SsoReviews = ReturnType<typeof createSsoReviews>

const subjectOf = (providerId: string): string => `sso-review:${providerId}`

/** Applies rules to people whose directory changed their groups, without waiting for their next sign-in (decision 152). */
export function createSsoReviews({ database, clock, jobs, ssoRules }: SsoReviewsDependencies) {
  const postgres = database.kind === 'postgres'

  /** Applies the rules to one person, once, and keeps each effect, also one that a limit prevented, beside the sign-ins. */
  async function review(provider: ProviderRow, userId: string): Promise<void> {
    await database.transact(async (tx) => {
      // First the account, then the note: in this order a change of the directory does it too.
      const user = await lockUser(tx, userId, postgres)
      const gone = await takeReview(tx, provider.id, userId)
      if (!gone || !user) return
      const lines = await ssoRules.apply(tx, { provider, gone }, user, '')
      // The directory pushes none of the groups that the rules name.
      const applied = lines.filter((line) => line !== noGroups)
      if (applied.length === 0) return
      const arrival = { provider, email: user.email }
      await keepSignIn(tx, clock, arrival, { result: 'directory', address: '', userId, applied })
    })
  }

  async function enqueue(tx: Tx, providerId: string): Promise<void> {
    const subject = subjectOf(providerId)
    // Asked first, because that makes the end of an open job wait for this transaction, and then see its notes.
    if (!(await jobs.isOpen(tx, subject)))
      await jobs.enqueue(tx, 'sso.review', { subject, teamId: '', payload: {}, background: true })
  }

  const reviewJob = defineJob({
    kind: 'sso.review',
    title: 'Apply group rules after a change of the directory',
    payload: z.object({}),
    steps: [
      {
        name: 'Apply rules',
        async run({ subject }) {
          const providerId = subject.slice(subjectOf('').length)
          const provider = await findProvider(database.read, providerId)
          let last = ''
          for (;;) {
            const people = provider?.active ? await nextReviews(database.read, providerId, last) : []
            for (const userId of people) await review(provider!, userId)
            if (people.length === 0) break
            last = people.at(-1)!
          }
          return async (tx) => {
            await jobs.forget(tx, subject)
            // A provider that is off changes nothing: the next sign-in applies its rules.
            if (!provider?.active) return deleteReviews(tx, providerId)
            if ((await nextReviews(tx, providerId, '')).length > 0) await enqueue(tx, providerId)
          }
        },
      },
    ],
    // It stays on record, where administrators can have it tried again. The notes are kept.
    failed: async () => undefined,
  })

  return {
    reviewJob,

    /**
     * Has the rules of these providers applied to people, once this transaction has ended. `gone`: names that no group of
     * the directory has any more.
     */
    async request(
      tx: Tx,
      providerIds: readonly string[],
      userIds: readonly string[],
      gone: readonly string[] = [],
    ): Promise<void> {
      if (userIds.length === 0) return
      for (const providerId of providerIds) {
        await insertReviews(tx, providerId, userIds, gone.length === 0 ? [''] : gone)
        await enqueue(tx, providerId)
      }
    },
  }
}
