export { teamHandlers } from './teams.routes.ts'
export { createTeams, type Teams, teamRef } from './teams.service.ts'
export { loadTeam, type TeamRow } from './teams.store.ts'
export { teamSummaryView } from './teams.view.ts'
