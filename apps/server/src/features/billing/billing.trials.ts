import { roles } from '@app/contract'
import { type Actor, systemActor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import { iso } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { type Audit, teamScope } from '../audit/index.ts'
import type { Letter, Mail } from '../mail/index.ts'
import type { Settings } from '../settings/index.ts'
import { teamRef } from '../teams/index.ts'
import { letters } from './billing.mails.ts'
import { isPaid } from './billing.state.ts'
import {
  findTeamBrief,
  insertSubscription,
  isTypeActive,
  listEndingTrials,
  listOwners,
  lockSubscription,
  type SubscriptionRow,
  updateSubscription,
} from './billing.store.ts'

export interface TrialDependencies {
  database: Database
  bus: Bus
  clock: Clock
  audit: Audit
  mail: Mail
  settings: Settings
  switches: { billing: boolean }
  baseUrl: string
}

type Team = Parameters<typeof teamRef>[0]

const dayMs = 86_400_000
/** Days before the end at which owners get a mail. */
const reminders = [8, 2]
const batch = 100

/** A row without a subscription at the provider. */
export const newSubscription = (teamId: string, status: string, now: number): SubscriptionRow => ({
  team_id: teamId,
  status,
  customer_id: null,
  subscription_id: null,
  trial_ends_at: null,
  trial_type_id: null,
  trial_length: null,
  trial_warned: null,
  trial_over: 0,
  quantities: '{}',
  difference: null,
  difference_at: null,
  fault: null,
  attempts: 0,
  due_at: now,
  created_at: now,
  updated_at: now,
})

/** The days of the reminder that is due; undefined when there is none, or it was sent. */
function dueReminder(
  {
    trial_ends_at,
    trial_length,
    trial_warned,
  }: Pick<SubscriptionRow, 'trial_ends_at' | 'trial_length' | 'trial_warned'>,
  now: number,
): number | undefined {
  const left = Number(trial_ends_at) - now
  const due = reminders.filter((days) => left <= days * dayMs && Number(trial_length) > days * dayMs)
  const next = due.length > 0 ? Math.min(...due) : undefined
  return next === undefined || (trial_warned !== null && trial_warned <= next) ? undefined : next
}

export type BillingTrials = ReturnType<typeof createBillingTrials>

/** Trials of teams that come into being at sign-up: their start, the reminders, and their end. */
export function createBillingTrials(deps: TrialDependencies) {
  const { database, bus, clock, audit, mail, settings, switches, baseUrl } = deps

  async function tell(tx: Tx, team: Team, letter: (owner: { name: string; email: string }, url: string) => Letter) {
    const url = `${baseUrl}/team/${team.slug}/billing`
    for (const owner of await listOwners(tx, team.id, roles.owner)) await mail.send(tx, letter(owner, url))
  }

  /** Deals with one trial, whose row nobody else changes meanwhile. */
  async function handle(tx: Tx, teamId: string): Promise<void> {
    const row = await lockSubscription(tx, teamId, database.kind === 'postgres')
    const team = await findTeamBrief(tx, teamId)
    if (!row || !team || row.trial_ends_at === null || row.trial_over === 1) return
    const [now, paid] = [clock.now(), isPaid(row)]
    if (now < Number(row.trial_ends_at)) {
      const days = dueReminder(row, now)
      if (days === undefined) return
      await updateSubscription(tx, teamId, { trial_warned: days })
      const left = Math.ceil((Number(row.trial_ends_at) - now) / dayMs)
      return tell(tx, team, (owner, url) => letters.trialEnding(owner, team, left, paid, url))
    }
    // Paid for: its instance is charged from now on.
    await updateSubscription(tx, teamId, {
      trial_over: 1,
      ...(paid ? { trial_ends_at: null, due_at: now } : {}),
      updated_at: now,
    })
    await audit.record(tx, systemActor, 'billing.trial.ended', teamScope(teamId), { team: teamRef(team) })
    await bus.publish(tx, { type: 'team', team: teamId })
    // A subscription that was cancelled before has been told of.
    if (row.status !== 'canceled') await tell(tx, team, (owner, url) => letters.trialEnded(owner, team, paid, url))
  }

  return {
    /** Begins the trial of a new personal team, if the settings of the platform ask for trials. */
    async begin(tx: Tx, actor: Actor, team: Team): Promise<void> {
      if (!switches.billing) return
      const {
        'user:team:trial-mode': on,
        'user:team:trial-mode:duration': days,
        'user:team:trial-mode:projectType': type,
      } = await settings.all(tx)
      if (!on || days <= 0 || type === null) return
      // A trial of a type that can no longer be chosen would have no instance.
      if (!(await isTypeActive(tx, type))) return
      const now = clock.now()
      const endsAt = now + days * dayMs
      const trial = { trial_ends_at: endsAt, trial_type_id: type, trial_length: days * dayMs }
      await insertSubscription(tx, { ...newSubscription(team.id, 'trial', now), ...trial })
      const body = { team: teamRef(team), info: { days, until: iso(endsAt) } }
      await audit.record(tx, actor, 'billing.trial.started', teamScope(team.id), body)
      await tell(tx, team, (owner, url) => letters.trialStarted(owner, team, endsAt, url))
    },

    /** Sends the reminders that are due, and ends the trials that have run out. */
    async check(): Promise<void> {
      const until = clock.now() + Math.max(...reminders) * dayMs
      const due = (await listEndingTrials(database.read, until, batch)).filter(
        (row) => Number(row.trial_ends_at) <= clock.now() || dueReminder(row, clock.now()) !== undefined,
      )
      for (const { team_id } of due) await database.transact((tx) => handle(tx, team_id))
    },
  }
}
