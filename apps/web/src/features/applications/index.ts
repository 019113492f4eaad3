export { useCurrentApplication } from './application-context.ts'
export { applicationMenu } from './application-menu.tsx'
export {
  type ApplicationWithStates,
  type ListedInstance,
  useApplication,
  useApplicationInstances,
  useTeamApplications,
} from './applications.queries.ts'
