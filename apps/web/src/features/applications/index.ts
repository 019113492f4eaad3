export { applicationMenu } from './application-menu.tsx'
export { useApplication, useTeamApplications } from './applications.queries.ts'
