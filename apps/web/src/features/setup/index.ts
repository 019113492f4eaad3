export { SetupNeeded } from './pages/SetupNeeded.tsx'
