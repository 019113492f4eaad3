export { MembersFrame } from './components/MembersFrame.tsx'
export { ChangeRoleDialog } from './components/RoleDialog.tsx'
export { TeamAccess, useVisiting } from './components/TeamAccess.tsx'
export { chooseTeam } from './current-team.ts'
export { roleTitle } from './role-names.ts'
export { applicationRoleTiles, nameOf, titleOfRole } from './roles.ts'
export { useTeam } from './team-context.ts'
export {
  teamBySlugQuery,
  teamMembersQuery,
  teamsQuery,
  useFeatures,
  useTeamRole,
} from './teams.queries.ts'
