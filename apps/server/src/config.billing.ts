import * as z from 'zod'
import { isOrigin, wholeNumber } from './config.values.ts'
import { always, optionally } from './config.setting.ts'

/** Absent while billing is off. */
export type BillingConfig = {
  /** Cents that a customer gets as credit with the first subscription. */
  freeCredit: number
} & (
  | { provider: 'test' }
  | {
      provider: 'stripe'
      secretKey: string
      /** Absent: every message of Stripe is refused. */
      webhookSecret?: string
      teamPrice: string
      /** Products of a device and of a member; absent: these are not charged. */
      deviceProduct?: string
      userProduct?: string
      apiUrl: string
    }
)

/** Settings of the payment provider. */
export const billingSettings = {
  FORGE_BILLING_PROVIDER: optionally(z.enum(['stripe', 'test']), {
    about:
      'Payment provider of subscriptions. Without it billing is off. `test` is a stand-in for trying things out: its checkout takes no money, and it forgets everything when the server stops. See docs/billing.md.',
    expected: 'one of stripe and test',
    example: 'stripe',
  }),
  FORGE_STRIPE_SECRET_KEY: optionally(z.string().regex(/^[\w-]{8,500}$/), {
    about: 'Secret key or restricted key of the Stripe account. Needed with FORGE_BILLING_PROVIDER=stripe.',
    expected: 'a key as Stripe shows it, such as sk_live_… or rk_live_…',
    example: '<secret key of Stripe>',
    secret: true,
    file: true,
  }),
  FORGE_STRIPE_WEBHOOK_SECRET: optionally(z.string().regex(/^[\w-]{8,500}$/), {
    about:
      'Signing secret of the webhook that Stripe sends to /ee/billing/callback. Without it every message of Stripe is refused.',
    expected: 'a signing secret as Stripe shows it, such as whsec_…',
    example: '<signing secret of Stripe>',
    secret: true,
    file: true,
  }),
  FORGE_STRIPE_TEAM_PRICE: optionally(z.string().regex(/^[\w-]{3,200}$/), {
    about: 'Id of the base price of every subscription. It may be 0 US$. Needed with FORGE_BILLING_PROVIDER=stripe.',
    expected: 'the id of a recurring price in Stripe, such as price_…',
    example: 'price_1PzTeam',
  }),
  FORGE_STRIPE_DEVICE_PRODUCT: optionally(z.string().regex(/^[\w-]{3,200}$/), {
    about:
      'Id of the product under which devices are charged, at the price of the team type. Without it they are free.',
    expected: 'the id of a product in Stripe, such as prod_…',
    example: 'prod_Devices',
  }),
  FORGE_STRIPE_USER_PRODUCT: optionally(z.string().regex(/^[\w-]{3,200}$/), {
    about:
      'Id of the product under which members are charged, at the price of the team type. Without it they are free.',
    expected: 'the id of a product in Stripe, such as prod_…',
    example: 'prod_Members',
  }),
  FORGE_STRIPE_API_URL: always(z.string().refine(isOrigin), {
    about: 'Address of the API of Stripe. Change it only for a proxy, or for a stand-in in tests.',
    expected: 'an http:// or https:// address without a path',
    fallback: 'https://api.stripe.com',
    example: 'https://stripe-proxy.example.com',
  }),
  FORGE_BILLING_FREE_CREDIT: always(wholeNumber(0, 1_000_000), {
    about: 'Credit in US cents for the first subscription that a person sets up. 0 gives none.',
    expected: 'a whole number from 0 to 1000000',
    fallback: '0',
    example: '1500',
  }),
}

interface Values {
  FORGE_BILLING_PROVIDER?: 'stripe' | 'test' | undefined
  FORGE_STRIPE_SECRET_KEY?: string | undefined
  FORGE_STRIPE_WEBHOOK_SECRET?: string | undefined
  FORGE_STRIPE_TEAM_PRICE?: string | undefined
  FORGE_STRIPE_DEVICE_PRODUCT?: string | undefined
  FORGE_STRIPE_USER_PRODUCT?: string | undefined
  FORGE_STRIPE_API_URL: string
  FORGE_BILLING_FREE_CREDIT: number
}

/** The payment provider, if one is named. */
export function billingOf(values: Values): { billing?: BillingConfig } {
  const freeCredit = values.FORGE_BILLING_FREE_CREDIT
  const { FORGE_STRIPE_SECRET_KEY: secretKey, FORGE_STRIPE_TEAM_PRICE: teamPrice } = values
  if (values.FORGE_BILLING_PROVIDER === 'test') return { billing: { provider: 'test', freeCredit } }
  if (values.FORGE_BILLING_PROVIDER !== 'stripe' || !secretKey || !teamPrice) return {}
  return {
    billing: {
      provider: 'stripe',
      freeCredit,
      secretKey,
      teamPrice,
      apiUrl: values.FORGE_STRIPE_API_URL,
      ...(values.FORGE_STRIPE_DEVICE_PRODUCT && { deviceProduct: values.FORGE_STRIPE_DEVICE_PRODUCT }),
      ...(values.FORGE_STRIPE_USER_PRODUCT && { userProduct: values.FORGE_STRIPE_USER_PRODUCT }),
      ...(values.FORGE_STRIPE_WEBHOOK_SECRET && { webhookSecret: values.FORGE_STRIPE_WEBHOOK_SECRET }),
    },
  }
}

/** Sentences about settings that Stripe needs and that are missing. */
export function billingProblems(values: Values, expected: (name: string) => string | undefined): string[] {
  if (values.FORGE_BILLING_PROVIDER !== 'stripe') return []
  return (['FORGE_STRIPE_SECRET_KEY', 'FORGE_STRIPE_TEAM_PRICE'] as const)
    .filter((name) => !values[name])
    .map((name) => `${name} is not set; it must be ${expected(name)}, because FORGE_BILLING_PROVIDER is stripe.`)
}
