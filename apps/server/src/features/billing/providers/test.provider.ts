import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import {
  type PaymentProvider,
  type ProviderCheckout,
  type ProviderEvent,
  type ProviderSubscription,
  SignatureError,
} from './provider.ts'

interface TestCheckout {
  id: string
  of: { id: string; name: string }
  state: 'open' | 'complete' | 'expired'
  customer: string
  subscription?: string
  items: ProviderSubscription['items']
  successUrl: string
  cancelUrl: string
}

/** Actions on the pages of the stand-in. */
export const testActions = ['complete', 'expire', 'cancel', 'cancel-later', 'past-due', 'paid'] as const
export type TestAction = (typeof testActions)[number]

export interface SignedMessage {
  raw: Buffer
  signature: string
}

export interface TestProvider extends PaymentProvider {
  checkout(id: string): TestCheckout | undefined
  subscription(id: string): ProviderSubscription | undefined
  /** Where the portal of this customer leads back to. */
  returnOf(subscription: string): string | undefined
  /** Does it, and returns the message that the provider sends about it; undefined when it cannot be done now. */
  act(id: string, action: TestAction): SignedMessage | undefined
}

const statusAfter: Partial<Record<TestAction, ProviderSubscription['status']>> = {
  cancel: 'canceled',
  'past-due': 'past_due',
  paid: 'active',
}
const monthMs = 30 * 86_400_000

const checkoutView = (checkout: TestCheckout | undefined): ProviderCheckout | undefined =>
  checkout && {
    state: checkout.state,
    team: checkout.of.id,
    customer: checkout.customer,
    ...(checkout.subscription !== undefined && { subscription: checkout.subscription }),
  }

/**
 * A stand-in for a payment provider, for development and journeys. It takes no money, keeps everything in memory, and
 * follows the rules of the real one: keys are done once, and messages are signed.
 */
export function createTestProvider({ baseUrl }: { baseUrl: string }): TestProvider {
  const secret = randomBytes(32)
  const checkouts = new Map<string, TestCheckout>()
  const subscriptions = new Map<string, ProviderSubscription>()
  const balances = new Map<string, number>()
  const returns = new Map<string, string>()
  const done = new Map<string, unknown>()
  let serial = 0
  const next = (prefix: string) => `${prefix}_test_${(serial += 1)}_${randomBytes(6).toString('hex')}`
  const sign = (raw: Buffer) => createHmac('sha256', secret).update(raw).digest('hex')

  function once<T>(key: string, work: () => T): T {
    if (!done.has(key)) done.set(key, work())
    return done.get(key) as T
  }

  function message(event: Omit<ProviderEvent, 'id' | 'happenedAt'>): SignedMessage {
    const raw = Buffer.from(JSON.stringify({ id: next('evt'), happenedAt: Date.now(), ...event }))
    return { raw, signature: sign(raw) }
  }

  function complete(checkout: TestCheckout): SignedMessage {
    const id = next('sub')
    checkout.state = 'complete'
    checkout.subscription = id
    subscriptions.set(id, {
      id,
      team: checkout.of.id,
      status: 'active',
      nextBillingDate: Math.floor((Date.now() + monthMs) / 1000),
      endsAt: null,
      items: checkout.items,
      customer: { id: checkout.customer, name: checkout.of.name, balance: balances.get(checkout.customer) ?? 0 },
    })
    return message({ type: 'checkout.session.completed', team: checkout.of.id, checkout: checkout.id })
  }

  return {
    name: 'test',
    products: { device: 'test-devices', user: 'test-members' },
    needsPriceIds: false,
    signatureHeader: 'test-signature',
    checkout: (id) => checkouts.get(id),
    subscription: (id) => subscriptions.get(id),
    returnOf: (id) => returns.get(id),

    act(id, action) {
      const checkout = checkouts.get(id)
      if (checkout?.state === 'open' && action === 'complete') return complete(checkout)
      if (checkout?.state === 'open' && action === 'expire') {
        checkout.state = 'expired'
        return message({ type: 'checkout.session.expired', team: checkout.of.id, checkout: id })
      }
      const subscription = subscriptions.get(id)
      if (!subscription || subscription.status === 'canceled') return undefined
      const status = action === 'cancel-later' ? subscription.status : statusAfter[action]
      if (!status) return undefined
      subscriptions.set(id, {
        ...subscription,
        status,
        ...(status === 'canceled' && { nextBillingDate: null, endsAt: null }),
        ...(action === 'cancel-later' && {
          nextBillingDate: null,
          endsAt: subscription.endsAt ?? subscription.nextBillingDate,
        }),
      })
      const type = `customer.subscription.${status === 'canceled' ? 'deleted' : 'updated'}`
      return message({ type, subscription: id, customer: subscription.customer.id })
    },

    async createCheckout({ team, customer, items, successUrl, cancelUrl, key }) {
      return once(key, () => {
        const id = next('cs')
        checkouts.set(id, {
          id,
          of: team,
          state: 'open',
          customer: customer ?? next('cus'),
          items: items.map(({ item, quantity }) => ({ ...item, price: item.price ?? item.product, quantity })),
          successUrl: successUrl.replace('{CHECKOUT_SESSION_ID}', id),
          cancelUrl,
        })
        return { id, url: `${baseUrl}/ee/billing/test/checkout/${id}` }
      })
    },
    getCheckout: async (id) => checkoutView(checkouts.get(id)),
    async endCheckout(id) {
      const found = checkouts.get(id)
      if (found?.state === 'open') found.state = 'expired'
      return checkoutView(found)
    },
    getSubscription: async (id) => subscriptions.get(id),

    async createPortal(customer, returnUrl) {
      const own = [...subscriptions.values()].findLast((subscription) => subscription.customer.id === customer)
      if (!own) throw new Error('The test provider knows no such customer')
      returns.set(own.id, returnUrl)
      return `${baseUrl}/ee/billing/test/portal/${own.id}`
    },

    async setQuantity(id, item, quantity, key) {
      const found = subscriptions.get(id)
      if (!found) throw new Error('The test provider knows no such subscription')
      once(key, () => {
        const others = found.items.filter(({ product }) => product !== item.product)
        const items = quantity > 0 ? [...others, { ...item, price: item.price ?? item.product, quantity }] : others
        subscriptions.set(id, { ...found, items })
      })
    },

    async cancel(id) {
      const found = subscriptions.get(id)
      if (found) subscriptions.set(id, { ...found, status: 'canceled', nextBillingDate: null, endsAt: null })
      return true
    },
    // It keeps no prices: items cost what is shown.
    getPrice: async () => undefined,

    async addCredit(customer, cents, key) {
      once(key, () => {
        const balance = (balances.get(customer) ?? 0) - cents
        balances.set(customer, balance)
        for (const [id, found] of subscriptions)
          if (found.customer.id === customer)
            subscriptions.set(id, { ...found, customer: { ...found.customer, balance } })
      })
    },

    async verifyWebhook(raw, signature) {
      const [given, own] = [Buffer.from(signature), Buffer.from(sign(raw))]
      if (given.length !== own.length || !timingSafeEqual(given, own)) throw new SignatureError('Wrong signature')
      return JSON.parse(raw.toString()) as ProviderEvent
    },
  }
}
