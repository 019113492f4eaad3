import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Subscription } from '@app/contract'
import { personOf, type Actor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Vault } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import { fail } from '../../platform/http/failure.ts'
import type { Logger } from 'pino'
import type { Accounts } from '../account/index.ts'
import { type Audit, teamScope } from '../audit/index.ts'
import { teamRef } from '../teams/index.ts'
import type { BillingCredit } from './billing.credit.ts'
import { isPaid } from './billing.state.ts'
import { findKnown, findSubscription, findTeamOf, insertSubscription, updateSubscription } from './billing.store.ts'
import type { BillingSync } from './billing.sync.ts'
import { wantedOf } from './billing.quantities.ts'
import { newSubscription } from './billing.trials.ts'
import { insertCheckout, insertEvent, listCheckouts } from './exchange.store.ts'
import { type PaymentProvider, SignatureError } from './providers/provider.ts'

export interface BillingDependencies {
  database: Database
  clock: Clock
  log: Logger
  audit: Audit
  vault: Vault
  accounts: Accounts
  baseUrl: string
  paymentProvider: PaymentProvider | undefined
  billingCredit: BillingCredit
  billingSync: BillingSync
}

type Team = Parameters<typeof teamRef>[0]

/** A checkout of the provider is open for 24 hours. */
const checkoutMs = 23 * 3_600_000
const minuteMs = 60_000
/** Ties the sealed address of a checkout to it. */
export const checkoutContext = (id: string): string => `billing-checkout-${id}`

export type Billing = ReturnType<typeof createBilling>

/** Checkouts and subscriptions of teams, for their owners; and the messages of the provider. */
export function createBilling(deps: BillingDependencies) {
  const { database, clock, log, audit, vault, accounts, baseUrl, paymentProvider, billingCredit, billingSync } = deps

  function provider(): PaymentProvider {
    if (!paymentProvider) throw fail('billing_unavailable')
    return paymentProvider
  }

  /** The page of the console about the payment of a team. */
  const pageOf = ({ slug }: Pick<Team, 'slug'>): string => `${baseUrl}/team/${slug}/billing`

  /** Asks the provider. @throws Failure billing_unavailable when it does not answer. */
  async function ask<T>(team: Pick<Team, 'id'>, question: (provider: PaymentProvider) => Promise<T>): Promise<T> {
    try {
      return await question(provider())
    } catch (error) {
      log.warn({ err: error, team: team.id }, 'payment provider not asked')
      throw fail('billing_unavailable')
    }
  }

  /** Does the provider know the subscription, so that it goes on? Another one may be begun where it does not. */
  async function goesOn(team: Team, { subscription_id: id }: { subscription_id: string | null }): Promise<boolean> {
    const found = id === null ? undefined : await ask(team, (to) => to.getSubscription(id))
    return found !== undefined && found.status !== 'canceled'
  }

  async function checkout(actor: Actor, team: Team): Promise<string> {
    const user = await accounts.find(personOf(actor)?.id)
    if (!user) throw fail('unauthorized', undefined, { status: 403 })
    const row = await findSubscription(database.read, team.id)
    if (row && isPaid(row) && (await goesOn(team, row)))
      throw fail('invalid_state', 'The team has a subscription already')
    const open = (await listCheckouts(database.read, team.id)).find(
      ({ state, user_id, created_at }) =>
        state === 'open' && user_id === user.id && Number(created_at) > clock.now() - checkoutMs,
    )
    if (open) return vault.open(open.url, checkoutContext(open.id))
    const credit = await billingCredit.of(user.id)
    const trial = row ?? newSubscription(team.id, 'none', clock.now())
    const page = `${baseUrl}/team/${team.slug}/applications`
    const { id, url } = await ask(team, async (to) => {
      const { teams } = await wantedOf(database.read, to, [trial], clock.now())
      const order = {
        team: { id: team.id, name: team.name, slug: team.slug },
        user: { id: user.id, email: user.email },
        customer: row?.customer_id ?? null,
        items: teams.get(team.id) ?? [],
        successUrl: `${page}?billing_session={CHECKOUT_SESSION_ID}`,
        cancelUrl: page,
      }
      // Two requests at once are one checkout. Providers keep their answer to a key, also one that is an error, and refuse
      // it for another order: the next minute and another order have keys of their own.
      const parts = JSON.stringify([order, Math.floor(clock.now() / minuteMs)])
      return to.createCheckout({ ...order, key: `checkout-${createHash('sha256').update(parts).digest('hex')}` })
    })
    await database.transact(async (tx) => {
      const now = clock.now()
      const isNew = await insertSubscription(tx, newSubscription(team.id, 'none', now))
      if (!isNew) await updateSubscription(tx, team.id, { due_at: now })
      const sealed = vault.seal(url, checkoutContext(id))
      const shared = { id, team_id: team.id, user_id: user.id, url: sealed, state: 'open', created_at: now }
      await insertCheckout(tx, { ...shared, credit, credit_given: 0 })
      const body = { team: teamRef(team), billingSession: { id } }
      await audit.record(tx, actor, 'billing.session.created', teamScope(team.id), body)
    })
    return url
  }

  return {
    pageOf,

    /** @throws Failure invalid_state for a team that pays, billing_unavailable. */
    checkout,

    /** The address of the checkout of a new team; undefined while billing is off or its provider is away. */
    async offer(actor: Actor, team: Team): Promise<string | undefined> {
      if (!paymentProvider) return undefined
      return checkout(actor, team).catch((error: unknown) => {
        log.warn({ err: error, team: team.id }, 'no checkout for a new team')
        return undefined
      })
    },

    /** @throws Failure not_found without a subscription that goes on or that the provider knows, billing_unavailable. */
    async get(team: Team): Promise<Subscription> {
      const row = await findSubscription(database.read, team.id)
      const id = row && isPaid(row) ? row.subscription_id : null
      if (id === null) throw fail('not_found', 'The team has no subscription')
      const found = await ask(team, (to) => to.getSubscription(id))
      if (!found) throw fail('not_found', 'The payment provider does not know the subscription')
      const { name, balance } = found.customer
      return {
        next_billing_date: found.nextBillingDate,
        ends_at: found.endsAt,
        items: found.items.map(({ name, cents, quantity }) => ({ name, price: cents, quantity })),
        customer: { name, balance },
      }
    },

    /** The address of the customer portal. @throws Failure not_found, billing_unavailable. */
    async portal(team: Team): Promise<string> {
      const customer = (await findSubscription(database.read, team.id))?.customer_id
      if (!customer) throw fail('not_found', 'The team has no customer at the payment provider')
      return ask(team, (to) => to.createPortal(customer, pageOf(team)))
    },

    /**
     * Keeps a message of the provider, and has its team compared. One about a team that nobody knows is passed over.
     * @throws Failure invalid_request for a signature that is missing, wrong or too old.
     */
    async receive(raw: Buffer, headers: IncomingHttpHeaders): Promise<void> {
      const signature = headers[provider().signatureHeader]?.toString()
      if (signature === undefined) throw fail('invalid_request', 'The signature is missing')
      const event = await provider()
        .verifyWebhook(raw, signature)
        .catch((error: unknown) => {
          if (!(error instanceof SignatureError)) throw error
          log.warn({ reason: error.message }, 'message of the payment provider refused')
          throw fail('invalid_request', 'The signature is not valid')
        })
      const known = event.team === undefined ? undefined : await findKnown(database.read, event.team)
      const teamId = known ?? (await findTeamOf(database.read, event))
      if (teamId === undefined) return
      log.info({ event: event.id, type: event.type, team: teamId }, 'message of the payment provider')
      await database.transact(async (tx) => {
        const isNew = await insertEvent(tx, {
          id: event.id,
          team_id: teamId,
          type: event.type,
          checkout_id: event.checkout ?? null,
          subscription_id: event.subscription ?? null,
          happened_at: event.happenedAt,
          received_at: clock.now(),
          handled_at: null,
        })
        if (!isNew) return
        // A backup that was restored may know less than the provider.
        await insertSubscription(tx, newSubscription(teamId, 'none', clock.now()))
        await updateSubscription(tx, teamId, { due_at: clock.now() })
        await billingSync.request(tx, teamId)
      })
    },
  }
}
