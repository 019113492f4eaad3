export { type BillingState, teamBilling } from './billing.state.ts'
