import * as z from 'zod/mini'
import type { Actor } from '../../../platform/authz/actor.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/db/database.ts'
import { fail } from '../../../platform/http/failure.ts'
import { defineJob } from '../../../platform/jobs/definition.ts'
import type { Jobs } from '../../../platform/jobs/jobs.ts'
import { lockUser } from '../../account/index.ts'
import { type Audit, platformScope } from '../../audit/index.ts'
import { deleteProvider, findDeletedProvider, lockProvider, updateProvider } from '../sso.store.ts'
import { replaceRules, usersGranted } from './rules.store.ts'
import type { SsoRules } from './rules.service.ts'

export type SsoRemoval = ReturnType<typeof createSsoRemoval>

const subjectOf = (providerId: string): string => `sso-removal:${providerId}`

/** Deletes providers, and on request takes back the roles that their rules gave. */
export function createSsoRemoval(deps: {
  database: Database
  clock: Clock
  audit: Audit
  jobs: Jobs
  ssoRules: Pick<SsoRules, 'apply'>
}) {
  const { database, clock, audit, jobs, ssoRules } = deps
  const postgres = database.kind === 'postgres'

  const removeJob = defineJob({
    kind: 'sso.remove',
    title: 'Take back the roles of a deleted provider',
    payload: z.object({}),
    steps: [
      {
        name: 'Take roles back',
        async run({ subject }) {
          const providerId = subject.slice(subjectOf('').length)
          const provider = await findDeletedProvider(database.read, providerId)
          const next = async (after: string) => (provider ? usersGranted(database.read, providerId, after) : [])
          for (let people = await next(''); people.length > 0; people = await next(people.at(-1)!))
            for (const userId of people)
              await database.transact(async (tx) => {
                const user = await lockUser(tx, userId, postgres)
                // Without rules no group gives anything, so everything that rules gave ends.
                if (user) await ssoRules.apply(tx, { provider: provider!, groups: [] }, user, '')
              })
          return async (tx) => {
            await jobs.forget(tx, subject)
            await deleteProvider(tx, providerId)
          }
        },
      },
    ],
    // It stays on record, where administrators can have it tried again. What rules gave is known until then.
    failed: async () => undefined,
  })

  return {
    removeJob,

    /**
     * Deletes a provider and its links to accounts. The accounts stay, and so do the roles that its rules gave, unless
     * `endRoles`: those are taken back by a job, but for the only owner of a team and the last administrator.
     * @throws Failure not_found
     */
    async remove(actor: Actor, id: string, { endRoles }: { endRoles: boolean }): Promise<void> {
      await database.transact(async (tx) => {
        const provider = await lockProvider(tx, id, postgres)
        if (!provider) throw fail('not_found')
        const { name } = provider
        const info = { id, name, ...(endRoles ? { roles: 'taken back' } : {}) }
        await audit.record(tx, actor, 'platform.sso.provider.deleted', platformScope, { info })
        if (!endRoles) return deleteProvider(tx, id)
        await updateProvider(tx, id, { active: 0, domain_filter: null, deleted_at: clock.now() })
        await replaceRules(tx, id, [])
        await jobs.enqueue(tx, 'sso.remove', { subject: subjectOf(id), teamId: '', payload: {}, background: true })
      })
    },
  }
}
