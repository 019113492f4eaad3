export { checkMemberRole, type Members } from './members.service.ts'
export { type Teams, teamRef } from './teams.service.ts'
export { type TeamRow } from './teams.store.ts'
export { teamSummaryView } from './teams.view.ts'
