export { InstanceLogs } from './components/InstanceLogs.tsx'
