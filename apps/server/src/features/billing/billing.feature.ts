import { defineFeature } from '../../platform/features/feature.ts'
import { whole } from '../../platform/keys/sealed.columns.ts'
import { type BillingCredit, createBillingCredit } from './billing.credit.ts'
import { billingChecks } from './billing.health.ts'
import { billingHandlers } from './billing.routes.ts'
import { type BillingRules, createBillingRules } from './billing.rules.ts'
import { type Billing, checkoutContext, createBilling } from './billing.service.ts'
import { type BillingSuspensions, createBillingSuspensions } from './billing.suspensions.ts'
import { type BillingSync, createBillingSync } from './billing.sync.ts'
import { type BillingTrials, createBillingTrials } from './billing.trials.ts'
import { type BillingWatch, createBillingWatch } from './billing.watch.ts'
import { exchangeSweep } from './exchange.store.ts'
import type { PaymentProvider } from './providers/provider.ts'
import { createStripe } from './providers/stripe.provider.ts'
import { serveTestPages } from './providers/test.pages.ts'
import { createTestProvider, type TestProvider } from './providers/test.provider.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    billing: Billing
    billingCredit: BillingCredit
    billingRules: BillingRules
    billingSuspensions: BillingSuspensions
    billingSync: BillingSync
    billingTrials: BillingTrials
    billingWatch: BillingWatch
    /** Absent while billing is off. */
    paymentProvider: PaymentProvider | undefined
  }
}

const isTest = (provider: PaymentProvider | undefined): provider is TestProvider => provider?.name === 'test'

export const billingFeature = defineFeature({
  name: 'billing',
  shares: ['subscriptions'],
  provides: {
    paymentProvider: ({ config: { billing, baseUrl }, switches }) =>
      billing === undefined || !switches.billing
        ? undefined
        : billing.provider === 'test'
          ? createTestProvider({ baseUrl })
          : createStripe(billing),
    billing: createBilling,
    billingCredit: createBillingCredit,
    billingRules: createBillingRules,
    billingSuspensions: createBillingSuspensions,
    billingSync: createBillingSync,
    billingTrials: createBillingTrials,
    billingWatch: createBillingWatch,
  },
  routes: ({ billing }) => billingHandlers(billing),
  serve(app, { paymentProvider, billing, baseUrl }) {
    if (!isTest(paymentProvider)) return
    serveTestPages(app, paymentProvider, {
      consoleOrigin: new URL(baseUrl).origin,
      deliver: async (raw, signature) => billing.receive(raw, { [paymentProvider.signatureHeader]: signature }),
    })
  },
  runs: {
    billingWatch: ({ billingWatch }) => ({
      start: (isHost) => (isHost ? billingWatch.start() : undefined),
      stop: billingWatch.stop,
    }),
  },
  jobs: ({ billingSync }) => [billingSync.compareJob],
  hooks: {
    'instance.coming':
      ({ billingRules }) =>
      async (tx, _applicationId, instance) =>
        billingRules.mayCreate(tx, instance),
    'instance.retyping':
      ({ billingRules }) =>
      async (tx, instance, typeId) =>
        billingRules.mayBecome(tx, instance, typeId),
    'device.coming':
      ({ billingRules }) =>
      async (tx, device) =>
        billingRules.mayAddDevice(tx, device),
    'instance.starting':
      ({ billingRules }) =>
      async (tx, instance) =>
        billingRules.mayStart(tx, instance),
    'team.personal':
      ({ billingTrials }) =>
      async (tx, actor, team) =>
        billingTrials.begin(tx, actor, team),
  },
  health: billingChecks,
  sweeps: [exchangeSweep],
  sealed: [
    {
      table: 'billing_checkouts',
      key: ['id'],
      column: 'url',
      find: whole(({ id = '' }) => checkoutContext(id)),
    },
  ],
})
