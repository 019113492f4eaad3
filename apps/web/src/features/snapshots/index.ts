export { DifferenceList } from './components/DifferenceList.tsx'
