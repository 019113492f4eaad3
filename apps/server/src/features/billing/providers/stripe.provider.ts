import type Stripe from 'stripe'
import type { BillingConfig } from '../../../config.billing.ts'
import type {
  BilledItem,
  CheckoutOrder,
  PaymentProvider,
  ProviderCheckout,
  ProviderEvent,
  ProviderSubscription,
} from './provider.ts'
import { RefusedError, SignatureError } from './provider.ts'

type StripeConfig = Extract<BillingConfig, { provider: 'stripe' }>

/** Maximum age of a signed message, in seconds, as Stripe recommends. */
const toleranceSeconds = 300
const currency = 'usd'

/** A status that a later version of Stripe adds counts as overdue, which stops nothing. */
const statusOf = (status: string): ProviderSubscription['status'] => statuses[status] ?? 'past_due'
const statuses: Record<string, ProviderSubscription['status']> = {
  active: 'active',
  trialing: 'active',
  past_due: 'past_due',
  unpaid: 'past_due',
  incomplete: 'past_due',
  paused: 'past_due',
  canceled: 'canceled',
  incomplete_expired: 'canceled',
}

const idOf = (ref: string | { id: string } | null | undefined): string | undefined =>
  typeof ref === 'string' ? ref : ref?.id

const codeOf = (error: unknown) => (error as { code?: string }).code
const isMissing = (error: unknown): boolean => codeOf(error) === 'resource_missing'

/** Passes over the errors that say that there is nothing to do. */
const unless = (isNothing: (error: unknown) => boolean) => (error: unknown) => {
  if (!isNothing(error)) throw error
}

/** Stripe keeps its answer to a key, except when it is busy or the key is in use. */
function refusalOf(error: Error): Error {
  const { statusCode, message } = error as Error & { statusCode?: number }
  return statusCode === undefined || statusCode === 409 || statusCode === 429 ? error : new RefusedError(message)
}

const priceOf = ({ price, product, cents }: BilledItem) =>
  price === undefined
    ? { price_data: { currency, product, recurring: { interval: 'month' as const }, unit_amount: cents } }
    : { price }

/** Stripe, by its own library, which is loaded at the first call. */
export function createStripe(config: StripeConfig): PaymentProvider {
  let loading: Promise<Stripe> | undefined
  const stripe = () =>
    (loading ??= import('stripe').then(({ default: Library }) => {
      const { hostname, port, protocol } = new URL(config.apiUrl)
      return new Library(config.secretKey, {
        host: hostname,
        protocol: protocol === 'http:' ? 'http' : 'https',
        ...(port && { port }),
        maxNetworkRetries: 2,
        timeout: 20_000,
        telemetry: false,
      })
    }))

  /** Every item of a subscription, more than one page of them too. */
  async function itemsOf(subscription: string): Promise<Stripe.SubscriptionItem[]> {
    const { subscriptionItems } = await stripe()
    return subscriptionItems.list({ subscription, limit: 100, expand: ['data.price.product'] }).autoPagingToArray({
      limit: 1_000,
    })
  }

  async function getCheckout(id: string): Promise<ProviderCheckout | undefined> {
    const { checkout } = await stripe()
    const session = await checkout.sessions.retrieve(id).catch(unless(isMissing))
    if (!session) return undefined
    const [subscription, customer] = [idOf(session.subscription), idOf(session.customer)]
    return {
      state: session.status === 'complete' ? 'complete' : session.status === 'expired' ? 'expired' : 'open',
      ...(session.client_reference_id && { team: session.client_reference_id }),
      ...(subscription !== undefined && { subscription }),
      ...(customer !== undefined && { customer }),
    }
  }

  /** Gives back what the newest invoice of a subscription took. False: a payment of it is still under way. */
  async function refund(subscription: string, key: string): Promise<boolean> {
    const { subscriptions, refunds, invoices, paymentIntents } = await stripe()
    const expand = ['latest_invoice.payments']
    const found = await subscriptions.retrieve(subscription, { expand }).catch(unless(isMissing))
    const invoice = found?.latest_invoice
    if (invoice === null || typeof invoice !== 'object') return true
    const payments = invoice.payments?.data ?? []
    for (const { id, status, payment } of payments) {
      const paid = idOf(payment.payment_intent)
      if (status !== 'paid' || paid === undefined) continue
      await refunds
        .create({ payment_intent: paid }, { idempotencyKey: `${key}-${id}` })
        .catch(unless((error) => codeOf(error) === 'charge_already_refunded'))
    }
    const open = payments.filter(({ status }) => status === 'open')
    if (open.length === 0) return true
    for (const { payment } of open) {
      const intent = idOf(payment.payment_intent)
      // Banks take days; only then a payment has succeeded or failed.
      if (intent !== undefined && (await paymentIntents.retrieve(intent)).status === 'processing') return false
    }
    // A failed payment leaves an invoice that could still be paid by its link.
    return invoices.voidInvoice(invoice.id).then(
      () => true,
      (error: Error) => {
        if (refusalOf(error) instanceof RefusedError) return false
        throw error
      },
    )
  }

  return {
    name: 'stripe',
    products: {
      ...(config.deviceProduct && { device: config.deviceProduct }),
      ...(config.userProduct && { user: config.userProduct }),
    },
    needsPriceIds: true,
    basePrice: config.teamPrice,
    signatureHeader: 'stripe-signature',

    async createCheckout({ team, user, customer, items, successUrl, cancelUrl, key }: CheckoutOrder) {
      const { checkout } = await stripe()
      const metadata = { team: team.id, team_name: team.name, team_slug: team.slug }
      const create = (who: { customer: string } | { customer_email: string }, idempotencyKey: string) =>
        checkout.sessions.create(
          {
            mode: 'subscription',
            client_reference_id: team.id,
            line_items: [
              { price: config.teamPrice, quantity: 1 },
              ...items.map(({ item, quantity }) => ({ ...priceOf(item), quantity })),
            ],
            ...who,
            metadata,
            subscription_data: { metadata },
            success_url: successUrl,
            cancel_url: cancelUrl,
          },
          { idempotencyKey },
        )
      const byEmail = { customer_email: user.email }
      const session = await create(customer === null ? byEmail : { customer }, key).catch((error: unknown) => {
        // Somebody deleted the former customer at Stripe: the team becomes another one.
        if (!isMissing(error) || (error as { param?: string }).param !== 'customer') throw error
        return create(byEmail, `${key}-new-customer`)
      })
      if (!session.url) throw new Error('Stripe gave no address for the checkout')
      return { id: session.id, url: session.url }
    },

    getCheckout,

    async endCheckout(id) {
      const { checkout } = await stripe()
      const error = await checkout.sessions.expire(id).then(
        () => undefined,
        (refusal: Error) => refusal,
      )
      const found = await getCheckout(id)
      // Stripe ends only what is open: somebody may have completed it meanwhile.
      if (error && found?.state === 'open') throw error
      return found
    },

    async getSubscription(id) {
      const { subscriptions } = await stripe()
      const found = await subscriptions.retrieve(id, { expand: ['customer'] }).catch(unless(isMissing))
      if (!found) return undefined
      const { customer, metadata } = found
      const items = await itemsOf(id)
      const periods = items.map((item) => item.current_period_end)
      const next = found.status === 'canceled' || periods.length === 0 ? null : Math.min(...periods)
      const endsAt =
        found.status === 'canceled' ? null : (found.cancel_at ?? (found.cancel_at_period_end ? next : null))
      return {
        id,
        ...(metadata.team !== undefined && { team: metadata.team }),
        status: statusOf(found.status),
        // One that ends before its next period is paid for already.
        nextBillingDate: next !== null && endsAt !== null && endsAt <= next ? null : next,
        endsAt,
        items: items.map(({ price, quantity }) => ({
          product: idOf(price.product) ?? '',
          name: (typeof price.product === 'object' && 'name' in price.product && price.product.name) || price.id,
          price: price.id,
          cents: price.unit_amount ?? 0,
          quantity: quantity ?? 0,
        })),
        customer:
          typeof customer === 'object' && !customer.deleted
            ? { id: customer.id, name: customer.name ?? '', balance: customer.balance }
            : { id: idOf(customer) ?? '', name: '', balance: 0 },
      }
    },

    async createPortal(customer, returnUrl) {
      const { billingPortal } = await stripe()
      return (await billingPortal.sessions.create({ customer, return_url: returnUrl })).url
    },

    async setQuantity(subscription, item, quantity, key) {
      const { subscriptionItems } = await stripe()
      const proration_behavior = 'create_prorations' as const
      const items = await itemsOf(subscription)
      const [now, ...more] = items.filter(
        ({ price }) => idOf(price.product) === item.product && price.id !== config.teamPrice,
      )
      // A try that was cut off may have done it: the next one is then another call, which needs a key of its own.
      const once = (call: string) => ({ idempotencyKey: `${key}-${call}` })
      const work = async () => {
        for (const { id } of more) await subscriptionItems.del(id, { proration_behavior }, once(`delete-${id}`))
        if (now && quantity > 0) {
          await subscriptionItems.update(now.id, { quantity, ...priceOf(item), proration_behavior }, once('update'))
        } else if (now) {
          await subscriptionItems.del(now.id, { proration_behavior }, once('delete'))
        } else if (quantity > 0) {
          const added = { subscription, quantity, ...priceOf(item), proration_behavior }
          await subscriptionItems.create(added, once('create'))
        }
      }
      await work().catch((error: Error) => {
        throw refusalOf(error)
      })
    },

    async cancel(subscription, money, key) {
      const { subscriptions } = await stripe()
      const how = money === 'settle' ? { prorate: true, invoice_now: true } : { prorate: false }
      await subscriptions.cancel(subscription, how, { idempotencyKey: key }).catch(unless(isMissing))
      return money === 'settle' || refund(subscription, key)
    },

    async getPrice(id) {
      const { prices } = await stripe()
      // The Health page waits for the answer.
      const found = await prices.retrieve(id, {}, { timeout: 5_000, maxNetworkRetries: 1 }).catch(unless(isMissing))
      if (!found) return undefined
      const { product, unit_amount: cents, currency, recurring, active } = found
      const interval = recurring?.interval
      return { product: idOf(product) ?? '', cents, currency, ...(interval && { interval }), active }
    },

    async addCredit(customer, cents, key) {
      const { customers } = await stripe()
      const credit = { amount: -cents, currency, description: 'Free credit' }
      await customers.createBalanceTransaction(customer, credit, { idempotencyKey: key })
    },

    async verifyWebhook(raw, signature) {
      const { webhookSecret } = config
      if (webhookSecret === undefined) throw new SignatureError('No webhook secret is set')
      const { webhooks } = await stripe()
      const event = await webhooks
        .constructEventAsync(raw, signature, webhookSecret, toleranceSeconds)
        .catch((error: unknown) => {
          throw new SignatureError((error as Error).message)
        })
      return eventOf(event)
    },
  }
}

interface Named {
  id: string
  object: string
  client_reference_id?: string | null
  metadata?: Record<string, string> | null
  subscription?: string | { id: string } | null
  customer?: string | { id: string } | null
}

/** The parts of an event that say which team it is about. Its contents are read anew, since events come in any order. */
function eventOf({ id, type, created, data }: Stripe.Event): ProviderEvent {
  const about = data.object as unknown as Named
  const checkout = about.object === 'checkout.session' ? about.id : undefined
  const subscription = about.object === 'subscription' ? about.id : idOf(about.subscription)
  const [team, customer] = [about.client_reference_id ?? about.metadata?.team, idOf(about.customer)]
  return {
    id,
    type,
    happenedAt: created * 1000,
    ...(team !== undefined && { team }),
    ...(checkout !== undefined && { checkout }),
    ...(subscription !== undefined && { subscription }),
    ...(customer !== undefined && { customer }),
  }
}
