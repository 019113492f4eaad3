export { TeamAccess, useVisiting } from './components/TeamAccess.tsx'
export { chooseTeam } from './current-team.ts'
export { useTeam } from './team-context.ts'
export { teamBySlugQuery, teamMembersQuery, teamsQuery, useTeamRole } from './teams.queries.ts'
