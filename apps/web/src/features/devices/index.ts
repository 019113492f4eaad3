export { useDevice } from './devices.queries.ts'
