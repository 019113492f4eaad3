export { AccountSection } from './components/AccountSection.tsx'
export { Gates } from './components/Gates.tsx'
export { FullName } from './fields.ts'
export { accountNavigation, accountPlaces, securityTabs, teamTabs } from './places.tsx'
export {
  settingsQuery,
  useInstancesAway,
  useLogout,
  useMayCreateTeams,
  useRenewSession,
  userQuery,
  useSettings,
} from './session.queries.ts'
export { useUser } from './user-context.ts'
