import type { SubscriptionStatus } from '@app/contract'

/** Something a team pays for. */
export interface BilledItem {
  /** Product at the provider, by which an item of a subscription is found again. */
  product: string
  name: string
  /** Price at the provider. Absent: a monthly price of `cents` for the product. */
  price?: string
  /** As shown to people, per month. */
  cents: number
}

export interface Quantity {
  item: BilledItem
  quantity: number
}

export interface CheckoutOrder {
  team: { id: string; name: string; slug: string }
  user: { id: string; email: string }
  /** The customer that the team was before. */
  customer: string | null
  items: readonly Quantity[]
  successUrl: string
  cancelUrl: string
  /** The provider answers the same call with the same key once more instead of doing it again. */
  key: string
}

/** A checkout: open until somebody completes it or it expires. */
export interface ProviderCheckout {
  state: 'open' | 'complete' | 'expired'
  /** The team that it was made for. */
  team?: string
  subscription?: string
  customer?: string
}

export interface ProviderSubscription {
  id: string
  /** The team whose checkout made it. */
  team?: string
  status: Exclude<SubscriptionStatus, 'trial'>
  /** Seconds since 1970; null: no payment is due. */
  nextBillingDate: number | null
  /** When it ends, because somebody cancelled it; in seconds since 1970. */
  endsAt: number | null
  items: { product: string; name: string; price: string; cents: number; quantity: number }[]
  customer: { id: string; name: string; balance: number }
}

/** A price of the provider. */
export interface ProviderPrice {
  product: string
  /** Null: it depends on the quantity. */
  cents: number | null
  /** ISO 4217, in lower case. */
  currency: string
  /** Such as `month`. Undefined: it is paid once. */
  interval?: string
  /** Can it be used by new subscriptions? */
  active: boolean
}

/** A message of the provider, verified. Ids are those of the provider, `team` is what the checkout was given. */
export interface ProviderEvent {
  id: string
  type: string
  happenedAt: number
  team?: string
  checkout?: string
  subscription?: string
  customer?: string
}

/** The signature of a message is missing, wrong or too old. */
export class SignatureError extends Error {}

/**
 * The provider answered that it did not do it. It gives the same answer to the same key for a day, so the next try needs
 * another key.
 */
export class RefusedError extends Error {}

/** A payment provider. Every call but `verifyWebhook` may fail, and is safe to repeat with the same key. */
export interface PaymentProvider {
  name: 'stripe' | 'test'
  /** The product of a device, and of a member; absent: they cannot be charged. */
  products: { device?: string; user?: string }
  /** An instance type is charged only with ids of a product and a price. */
  needsPriceIds: boolean
  /** The price that each team pays by itself, whatever it uses; absent: none. */
  basePrice?: string
  /** Name of the header with the signature of a message, in lower case. */
  signatureHeader: string
  createCheckout(order: CheckoutOrder): Promise<{ id: string; url: string }>
  /** Undefined: the provider does not know it. */
  getCheckout(id: string): Promise<ProviderCheckout | undefined>
  /** Ends a checkout that nobody completed, and returns what became of it. */
  endCheckout(id: string): Promise<ProviderCheckout | undefined>
  /** Undefined: the provider does not know it. */
  getSubscription(id: string): Promise<ProviderSubscription | undefined>
  /** Returns the address of the customer portal. */
  createPortal(customer: string, returnUrl: string): Promise<string>
  /** Sets how many of an item a subscription has, at the price of the item; 0 removes it. @throws RefusedError */
  setQuantity(subscription: string, item: BilledItem, quantity: number, key: string): Promise<void>
  /**
   * Ends a subscription at once. What was used is settled, or the last payment is given back. False: that payment is
   * still under way, as those of banks are for days, and can be given back only then.
   */
  cancel(subscription: string, money: 'settle' | 'refund', key: string): Promise<boolean>
  /** Undefined: the provider does not know it. */
  getPrice(id: string): Promise<ProviderPrice | undefined>
  addCredit(customer: string, cents: number, key: string): Promise<void>
  /** @throws SignatureError */
  verifyWebhook(raw: Buffer, signature: string): Promise<ProviderEvent>
}
