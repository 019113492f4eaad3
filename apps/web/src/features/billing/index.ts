export { badgeOf } from './billing.state.ts'
export { BillingBanner, PaymentGate } from './components/PaymentGate.tsx'
export { DeviceTerms, PaymentObstacle, useDeviceTerms, useInstanceObstacle, useTrialType } from './components/Terms.tsx'
