export { settingsQuery, useLogout, useMayCreateTeams, userQuery, useUser } from './account.queries.ts'
export { Gates } from './components/Gates.tsx'
