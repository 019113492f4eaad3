export { type Activity } from './sleep.activity.ts'
export { type Sleep } from './sleep.service.ts'
export { createWaking } from './sleep.wake.ts'
