export { SleepCard } from './components/SleepCard.tsx'
