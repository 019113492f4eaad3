export { AccountSection } from './components/AccountSection.tsx'
export { Gates } from './components/Gates.tsx'
export { SignUpForm } from './components/SignUpForm.tsx'
export { SignedUp } from './components/SignedUp.tsx'
export { FullName } from './fields.ts'
export { accountNavigation, accountPages, securityTabs, teamTabs } from './locations.tsx'
export {
  defaultAdminCommand,
  settingsQuery,
  useAdminCommand,
  useInstancesAway,
  useLogout,
  useMayCreateTeams,
  useRenewSession,
  useSettings,
  userQuery,
} from './session.queries.ts'
export { useUser } from './user-context.ts'
