export { Charts } from './components/Charts.tsx'
export { InstanceSparkline } from './components/InstanceSparkline.tsx'
export { RecentUsage } from './components/RecentUsage.tsx'
