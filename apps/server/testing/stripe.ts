import { createHmac, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { AddressInfo } from 'node:net'

/** A request as Stripe got it. */
export interface StripeCall {
  method: string
  path: string
  key: string | undefined
  form: Record<string, string>
}

interface Item {
  id: string
  price: string
  product: string
  cents: number
  quantity: number
}
interface Subscription {
  id: string
  status: string
  customer: string
  metadata: Record<string, string>
  cancel_at: number | null
  items: Item[]
}
interface Session {
  id: string
  status: 'open' | 'complete' | 'expired'
  team: string
  customer: string
  subscription: string | null
  items: Omit<Item, 'id'>[]
}

type Answer = [status: number, body: object]

export type StripeStandIn = Awaited<ReturnType<typeof startStripe>>

const list = (data: unknown[]) => ({ object: 'list', data, has_more: false, url: '/' })
const nextMonth = 1_900_000_000

/**
 * A stand-in for the API of Stripe. It keeps the rules of the calls that the platform makes: forms as they are sent,
 * keys that give the same answer again, also one that is an error, and refuse other parameters; items of a subscription
 * that exist once for each price; and messages that are signed. It is no Stripe: what it was not written for answers 404.
 */
export async function startStripe(secret = 'whsec_stand_in') {
  const calls: StripeCall[] = []
  const done = new Map<string, { request: string; answer: Answer }>()
  const sessions = new Map<string, Session>()
  const subscriptions = new Map<string, Subscription>()
  const balances = new Map<string, number>()
  /** Payments that were given back. */
  const refunds: string[] = []
  const deletedCustomers = new Set<string>()
  /** Prices that are archived. */
  const inactive = new Set<string>()
  /** Subscriptions whose first payment, of a bank, is under way. */
  const slow = new Set<string>()
  /** Subscriptions whose first payment failed. */
  const failed = new Set<string>()
  /** Subscriptions whose first invoice can't be paid any more. */
  const voided = new Set<string>()
  const products = new Map([['price_team', { product: 'prod_team', cents: 0 }]])
  let failure: { status: number; times: number; after?: string; only?: string } | undefined
  let serial = 0
  const next = (prefix: string) => `${prefix}_${(serial += 1)}`

  function itemOf(form: Record<string, string>, prefix = ''): Omit<Item, 'id'> {
    const at = (name: string) =>
      form[prefix === '' ? name : `${prefix}[${name.replace('[', '][')}`.replace(/\]?$/, ']')]
    const price = at('price')
    const quantity = Number(at('quantity') ?? 1)
    if (price) return { price, quantity, ...(products.get(price) ?? { product: `prod_of_${price}`, cents: 0 }) }
    const [product = '', cents] = [at('price_data[product]'), Number(at('price_data[unit_amount]'))]
    return { price: `price_of_${product}_${cents}`, product, cents, quantity }
  }

  const isUnpaid = (id: string) => slow.has(id) || failed.has(id)
  const intentOf = (id: string) =>
    slow.has(id) ? 'processing' : failed.has(id) ? 'requires_payment_method' : 'succeeded'

  const itemView = (item: Item) => ({
    id: item.id,
    object: 'subscription_item',
    quantity: item.quantity,
    current_period_end: nextMonth,
    price: {
      id: item.price,
      object: 'price',
      unit_amount: item.cents,
      product: { id: item.product, object: 'product', name: item.product },
    },
  })
  const subscriptionView = ({ items, ...subscription }: Subscription) => ({
    ...subscription,
    object: 'subscription',
    customer: {
      id: subscription.customer,
      object: 'customer',
      name: 'Example Bakery',
      balance: balances.get(subscription.customer) ?? 0,
    },
    cancel_at_period_end: subscription.cancel_at !== null,
    latest_invoice: {
      id: `in_of_${subscription.id}`,
      object: 'invoice',
      payments: list([
        {
          id: `inpay_of_${subscription.id}`,
          object: 'invoice_payment',
          status: voided.has(subscription.id) ? 'canceled' : isUnpaid(subscription.id) ? 'open' : 'paid',
          payment: { type: 'payment_intent', payment_intent: `pi_of_${subscription.id}` },
        },
      ]),
    },
    items: list(items.map(itemView)),
  })
  const sessionView = (session: Session) => ({
    id: session.id,
    object: 'checkout.session',
    status: session.status,
    url: session.status === 'open' ? `https://checkout.stripe.example/${session.id}` : null,
    client_reference_id: session.team,
    customer: session.customer,
    subscription: session.subscription,
  })

  const missing: Answer = [
    404,
    { error: { type: 'invalid_request_error', code: 'resource_missing', message: 'No such' } },
  ]
  const refused = (message: string, code?: string): Answer => [
    400,
    { error: { type: 'invalid_request_error', message, ...(code && { code }) } },
  ]

  function answer({ method, path, form }: StripeCall): Answer {
    const [, , area, id, part] = path.split('/')
    if (area === 'checkout') {
      const [, , , , , act] = path.split('/')
      if (act === 'expire') {
        const session = sessions.get(part!)
        if (session?.status !== 'open')
          return refused('Only Checkout Sessions with a status in ["open"] can be expired')
        session.status = 'expired'
        return [200, sessionView(session)]
      }
      if (form.customer !== undefined && deletedCustomers.has(form.customer))
        return [404, { error: { ...(missing[1] as { error: object }).error, param: 'customer' } }]
      if (method === 'GET') return sessions.has(part!) ? [200, sessionView(sessions.get(part!)!)] : missing
      const lines = Object.keys(form).flatMap((name) => /^line_items\[(\d+)\]/.exec(name)?.[1] ?? [])
      const session: Session = {
        id: next('cs'),
        status: 'open',
        team: form.client_reference_id ?? '',
        customer: form.customer ?? next('cus'),
        subscription: null,
        items: [...new Set(lines)].map((line) => itemOf(form, `line_items[${line}]`)),
      }
      sessions.set(session.id, session)
      return [200, sessionView(session)]
    }
    if (area === 'subscriptions') {
      const found = subscriptions.get(id!)
      if (!found || (method === 'DELETE' && found.status === 'canceled')) return missing
      if (method === 'DELETE') found.status = 'canceled'
      return [200, subscriptionView(found)]
    }
    if (area === 'refunds') {
      const payment = form.payment_intent ?? ''
      if (refunds.includes(payment)) return refused('It was refunded', 'charge_already_refunded')
      refunds.push(payment)
      return [200, { id: next('re'), object: 'refund' }]
    }
    if (area === 'payment_intents')
      return [200, { id, object: 'payment_intent', status: intentOf(id!.replace('pi_of_', '')) }]
    if (area === 'invoices' && part === 'void') {
      const owner = id!.replace('in_of_', '')
      if (!failed.has(owner) || voided.has(owner)) return refused('This invoice cannot be voided')
      voided.add(owner)
      return [200, { id, object: 'invoice', status: 'void' }]
    }
    if (area === 'customers' && part === 'balance_transactions') {
      balances.set(id!, (balances.get(id!) ?? 0) + Number(form.amount))
      return [200, { id: next('cbtxn'), object: 'customer_balance_transaction' }]
    }
    if (area === 'prices') {
      const { product, cents } = products.get(id!) ?? {}
      if (product === undefined) return missing
      const shared = { id, object: 'price', currency: 'usd', recurring: { interval: 'month' } }
      return [200, { ...shared, product, unit_amount: cents, active: !inactive.has(id!) }]
    }
    if (area === 'billing_portal')
      return [200, { id: next('bps'), object: 'billing_portal.session', url: 'https://billing.stripe.example/p' }]
    if (area !== 'subscription_items') return missing
    const owner = subscriptions.get(form.subscription ?? '')
    if (method === 'GET') return owner ? [200, list(owner.items.map(itemView))] : missing
    if (id === undefined) {
      if (inactive.has(form.price ?? '')) return refused('The price specified is inactive.')
      const item = { id: next('si'), ...itemOf(form) }
      if (!owner || owner.items.some(({ price }) => price === item.price)) return missing
      owner.items.push(item)
      return [200, itemView(item)]
    }
    const holder = [...subscriptions.values()].find(({ items }) => items.some((item) => item.id === id))
    const item = holder?.items.find((one) => one.id === id)
    if (!holder || !item) return missing
    if (method === 'DELETE') holder.items = holder.items.filter((one) => one !== item)
    else Object.assign(item, itemOf(form))
    return [200, itemView(item)]
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search } = new URL(request.url!, 'http://stripe')
    const body = await text(request)
    const call: StripeCall = {
      method: request.method!,
      path: pathname,
      key: request.headers['idempotency-key']?.toString(),
      form: Object.fromEntries([...new URLSearchParams(search), ...new URLSearchParams(body)]),
    }
    calls.push(call)
    const write = (status: number, value: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    const fails =
      failure && failure.times > 0 && (failure.after ?? failure.only ?? call.method) === call.method
        ? failure
        : undefined
    if (fails) fails.times -= 1
    if (fails && !fails.after) return void write(fails.status, { error: { message: 'Stripe is away' } })
    const before = call.key === undefined || call.method === 'GET' ? undefined : done.get(call.key)
    const asked = `${call.method} ${call.path} ${body}`
    if (before && before.request !== asked)
      return void write(400, {
        error: { type: 'idempotency_error', message: 'Keys are used with the same parameters' },
      })
    const [status, value]: Answer = before ? before.answer : answer(call)
    if (call.key !== undefined) done.set(call.key, { request: asked, answer: [status, value] })
    if (fails) return void response.destroy()
    write(status, value)
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  /** A message as Stripe sends it: its body and its signature of this time, in seconds. */
  function message(type: string, object: object, { at = Math.floor(Date.now() / 1000), id = '' } = {}) {
    const event = {
      id: id || `evt_${randomBytes(6).toString('hex')}`,
      object: 'event',
      type,
      created: at,
      data: { object },
    }
    const body = JSON.stringify(event)
    const signature = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')
    return { body, signature: `t=${at},v1=${signature}` }
  }

  return {
    calls,
    sessions,
    subscriptions,
    balances,
    refunds,
    deletedCustomers,
    inactive,
    slow,
    voided,
    /** The product and the cents of a price. */
    products,
    config: {
      provider: 'stripe' as const,
      secretKey: 'sk_test_stand_in',
      webhookSecret: secret,
      teamPrice: 'price_team',
      deviceProduct: 'prod_device',
      userProduct: 'prod_user',
      apiUrl: `http://127.0.0.1:${port}`,
      freeCredit: 0,
    },
    /**
     * The next `times` calls fail, or those of the method `only`; with `after`, Stripe did what those of this method asked
     * and the answer is lost.
     */
    fail(status: number, times: number, how: { after?: string; only?: string } = {}) {
      failure = { status, times, ...how }
    },
    message,
    /** Somebody enters a card at the checkout. Returns the message about it. */
    complete(sessionId: string) {
      const session = sessions.get(sessionId)!
      const id = next('sub')
      const items = session.items.map((item) => ({ id: next('si'), ...item }))
      const { customer, team } = session
      subscriptions.set(id, { id, status: 'active', customer, metadata: { team }, cancel_at: null, items })
      Object.assign(session, { status: 'complete', subscription: id })
      return message('checkout.session.completed', sessionView(session))
    },
    /** The payment of a checkout arrives that was under way. Returns the message about it. */
    arrive(sessionId: string) {
      const session = sessions.get(sessionId)!
      slow.delete(session.subscription!)
      return message('checkout.session.async_payment_succeeded', sessionView(session))
    },
    /** The bank refuses the payment of a checkout that was under way. Returns the message about it. */
    bounce(sessionId: string) {
      const session = sessions.get(sessionId)!
      slow.delete(session.subscription!)
      failed.add(session.subscription!)
      return message('checkout.session.async_payment_failed', sessionView(session))
    },
    /** The status of a subscription changes at Stripe. Returns the message about it. */
    change(id: string, status: string) {
      const subscription = subscriptions.get(id)!
      subscription.status = status
      const type = status === 'canceled' ? 'deleted' : 'updated'
      return message(`customer.subscription.${type}`, subscriptionView(subscription))
    },
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  }
}
