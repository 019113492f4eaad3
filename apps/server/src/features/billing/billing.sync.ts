import type { Logger } from 'pino'
import * as z from 'zod/mini'
import { systemActor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { newId } from '../../platform/ids.ts'
import { defineJob } from '../../platform/jobs/definition.ts'
import type { Jobs } from '../../platform/jobs/jobs.ts'
import { type Audit, teamScope } from '../audit/index.ts'
import { teamRef } from '../teams/index.ts'
import { isPaid } from './billing.state.ts'
import {
  deleteSubscription,
  findSubscription,
  findTeamBrief,
  lockSubscription,
  readQuantities,
  type SubscriptionRow,
  updateSubscription,
} from './billing.store.ts'
import { createSettling } from './billing.settle.ts'
import { byProduct, chargedOf, isSame, wantedOf } from './billing.quantities.ts'
import {
  dropChange,
  insertChanges,
  isCheckoutOpen,
  listCheckouts,
  listOpenChanges,
  listOpenEvents,
  markHandled,
  markSent,
} from './exchange.store.ts'
import { type BilledItem, type PaymentProvider, type ProviderSubscription, RefusedError } from './providers/provider.ts'

export interface SyncDependencies {
  database: Database
  bus: Bus
  clock: Clock
  log: Logger
  audit: Audit
  jobs: Jobs
  /** Absent while billing is off. */
  paymentProvider: PaymentProvider | undefined
}

type Team = Parameters<typeof teamRef>[0]

const minute = 60_000
/** Interval between comparisons of a subscription when nothing tells of a change, and while a checkout is open. */
const lookEvery = { usually: 60 * minute, checkout: 2 * minute }
/** Time for which administrators are shown a difference that was corrected. */
const shownMs = 24 * 60 * minute
/** Delay after each failed try; the last one repeats. */
const waits = [1, 2, 5, 15, 60].map((minutes) => minutes * minute)

/** Names the job of a team. One job works on a team at a time, on whichever server. */
const syncSubject = (teamId: string): string => `billing-${teamId}`

export type BillingSync = ReturnType<typeof createBillingSync>

/**
 * Brings a subscription and its provider together: what messages announced is read from the provider, so that messages
 * may come late, twice and in any order; then quantities that differ are sent, each change once and in its order.
 */
export function createBillingSync(deps: SyncDependencies) {
  const { database, clock, log, audit, jobs, paymentProvider: provider } = deps
  const settling = createSettling(deps)
  const isPostgres = database.kind === 'postgres'

  /** Returns whether all was done; a deleted team may have to wait for a payment that is given back. */
  async function sync(teamId: string): Promise<boolean> {
    if (!provider) return true
    const row = await findSubscription(database.read, teamId)
    if (!row) return true
    const team = await findTeamBrief(database.read, teamId)
    const events = await listOpenEvents(database.read, teamId)
    const handled = async (tx: Tx) =>
      markHandled(
        tx,
        events.map(({ id }) => id),
        clock.now(),
      )
    if (!team) {
      const isReleased = await settling.release(provider, row)
      await database.transact((tx) => (isReleased ? deleteSubscription(tx, row.team_id) : handled(tx)))
      return isReleased
    }
    // A subscription that has ended makes room for the one of a checkout.
    const before = await settling.subscription(provider, team)
    const looked = await settling.checkouts(provider, team, events)
    await settling.adopt(provider, team, events)
    const isSettled = looked === 0 && before !== undefined
    const settled = isSettled ? before : await settling.subscription(provider, team)
    await database.transact(handled)
    const after = await findSubscription(database.read, teamId)
    if (after && settled && isPaid(after)) await align(team, after, settled, provider)
    return true
  }

  /** Sends what was recorded and not sent, then what differs from what the team is to be charged. */
  async function align(
    team: Team,
    row: SubscriptionRow,
    seen: ProviderSubscription,
    to: PaymentProvider,
  ): Promise<void> {
    const { teams, products } = await wantedOf(database.read, to, [row], clock.now())
    const wanted = teams.get(row.team_id)
    if (!wanted) return
    const known: BilledItem[] = wanted.map(({ item }) => item)
    const left = await listOpenChanges(database.read, row.team_id)
    if (left.length > 0) await send(row, left, known, to)
    const target = byProduct(wanted)
    const found = left.length > 0 ? ((await to.getSubscription(seen.id)) ?? seen) : seen
    const now = { ...found, items: found.items.filter(({ price }) => price !== to.basePrice) }
    const told = readQuantities(row.quantities, row.team_id)
    // Items that people added at the provider are left alone.
    const ours = new Set([...products, ...Object.keys(told), ...Object.keys(target)])
    const theirs = chargedOf(found, ours, to)
    const repriced = wanted.flatMap(({ item }) => (isOtherPrice(item, now) ? [item] : []))
    // The price of an instance type stays while there are instances of it: somebody changed it at the provider.
    const moved = repriced.filter(({ price, product }) => price !== undefined && told[product] !== undefined)
    const again = repriced.map(({ product }) => product)
    const changes = differences(theirs, target, again).map(([product_id, quantity]) => ({
      id: newId(),
      team_id: row.team_id,
      subscription_id: seen.id,
      product_id,
      quantity,
      created_at: clock.now(),
      sent_at: null,
    }))
    // Kept first: a server that ends amid it sends the same changes with the same keys.
    const isDrift = left.length === 0 && (moved.length > 0 || !isSame(told, theirs))
    const difference = (isDrift && sentence(theirs, target, now, moved)) || null
    const isOver = !isDrift && Number(row.difference_at ?? 0) < clock.now() - shownMs
    if (difference) log.warn({ team: row.team_id, difference }, 'the payment provider had other quantities or prices')
    await database.transact(async (tx) => {
      await insertChanges(tx, changes)
      if (difference === null) return
      await updateSubscription(tx, row.team_id, { difference, difference_at: clock.now() })
      await audit.record(tx, systemActor, 'billing.subscription.corrected', teamScope(row.team_id), {
        team: teamRef(team),
        subscription: { subscription: seen.id },
        info: { difference },
      })
    })
    await send(row, changes, known, to)
    await database.transact((tx) =>
      updateSubscription(tx, row.team_id, {
        quantities: JSON.stringify(target),
        ...(isOver && { difference: null, difference_at: null }),
        updated_at: clock.now(),
      }),
    )
  }

  async function send(
    row: SubscriptionRow,
    changes: Awaited<ReturnType<typeof listOpenChanges>>,
    known: readonly BilledItem[],
    to: PaymentProvider,
  ): Promise<void> {
    for (const { id, product_id, quantity, subscription_id } of changes) {
      const item = known.find(({ product }) => product === product_id)
      // An item that nothing asks for any more can only be removed.
      if (subscription_id === row.subscription_id)
        await to
          .setQuantity(subscription_id, item ?? { product: product_id, name: '', cents: 0 }, item ? quantity : 0, id)
          .catch(async (error: unknown) => {
            if (error instanceof RefusedError) await database.transact((tx) => dropChange(tx, id))
            throw error
          })
      await database.transact((tx) => markSent(tx, id, clock.now()))
    }
  }

  /** Notes when the team is looked at next, and what went wrong. */
  async function plan(teamId: string, fault: string | null, isDone: boolean): Promise<(tx: Tx) => Promise<void>> {
    const open = (await listCheckouts(database.read, teamId)).some((checkout) => isCheckoutOpen(checkout, clock.now()))
    return async (tx) => {
      const row = await lockSubscription(tx, teamId, isPostgres)
      if (!row) return
      const attempts = fault === null ? 0 : row.attempts + 1
      const wait =
        fault === null ? lookEvery[open ? 'checkout' : 'usually'] : waits[Math.min(attempts, waits.length) - 1]!
      // A message that came meanwhile is read at once.
      const isTold = fault === null && (await listOpenEvents(tx, teamId)).length > 0
      // A deleted team is looked at as soon as there was no try yet.
      await updateSubscription(tx, teamId, {
        fault,
        attempts: isDone ? attempts : 1,
        due_at: clock.now() + (isTold ? 0 : wait),
      })
    }
  }

  const compareJob = defineJob({
    kind: 'billing.sync',
    title: 'Compare a subscription with the payment provider',
    payload: z.object({}),
    steps: [
      {
        name: 'Compare',
        async run({ subject }) {
          const teamId = subject.slice(syncSubject('').length)
          // A provider that is away stops nothing: the row says when it is tried again.
          const [fault, isDone] = await sync(teamId).then(
            (done): [null, boolean] => [null, done],
            (error: unknown): [string, boolean] => {
              log.warn({ err: error, team: teamId }, 'subscription not compared')
              return [messageOf(error), true]
            },
          )
          const record = await plan(teamId, fault, isDone)
          return async (tx) => {
            await record(tx)
            await jobs.forget(tx, subject)
          }
        },
      },
    ],
    failed: async (tx, { subject }) => jobs.forget(tx, subject),
  })

  return {
    compareJob,
    /** Has the team compared as soon as possible. Nothing when that is under way. */
    async request(tx: Tx, teamId: string): Promise<void> {
      await jobs.enqueue(tx, 'billing.sync', { subject: syncSubject(teamId), teamId, payload: {}, background: true })
    },
  }
}

/** The text of an error, without anything but its first line: a key may stand in none of it. */
export const messageOf = (error: unknown): string => (error as Error).message.split('\n')[0]!.slice(0, 300)

/** Returns the changes that turn `theirs` into `ours`. */
const differences = (
  theirs: Record<string, number>,
  ours: Record<string, number>,
  repriced: readonly string[] = [],
): [string, number][] =>
  [...new Set([...Object.keys(ours), ...Object.keys(theirs)])]
    .filter((product) => (ours[product] ?? 0) !== (theirs[product] ?? 0) || repriced.includes(product))
    .map((product) => [product, ours[product] ?? 0])

/** Is this charged by the provider at another price than people are shown, or more than once? */
function isOtherPrice({ product, price, cents }: BilledItem, { items }: ProviderSubscription): boolean {
  const same = items.filter((item) => item.product === product)
  const isPrice = (item: (typeof same)[number]) => (price === undefined ? item.cents === cents : item.price === price)
  return same.length > 1 || !same.every(isPrice)
}

/** Difference between the provider and what the team is to be charged. */
function sentence(
  theirs: Record<string, number>,
  ours: Record<string, number>,
  { items }: ProviderSubscription,
  moved: readonly BilledItem[],
): string {
  const parts = differences(theirs, ours).map(([product, quantity]) => {
    const name = items.find((item) => item.product === product)?.name ?? product
    return `${name}: ${theirs[product] ?? 0} at the provider, ${quantity} here`
  })
  const prices = moved.map(({ product, name, price }) => {
    const found = items.filter((item) => item.product === product).map((item) => item.price)
    return `${name}: price ${found.join(' and ')} at the provider, ${price} here`
  })
  return [...parts, ...prices].join('; ').slice(0, 500)
}
