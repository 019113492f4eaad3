export { type StepCookie } from './second-factor.routes.ts'
export { forgetFactors } from './second-factor.store.ts'
export { type Steps } from './steps.service.ts'
