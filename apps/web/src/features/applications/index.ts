export { applicationMenu } from './application-menu.tsx'
export {
  type ApplicationWithStates,
  type ListedInstance,
  useApplication,
  useTeamApplications,
} from './applications.queries.ts'
