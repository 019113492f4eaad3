import type { Team } from '@app/contract'
import { createContext, useContext } from 'react'

export const TeamContext = createContext<Team | undefined>(undefined)

/** The team whose page this is. */
export function useTeam(): Team {
  const team = useContext(TeamContext)
  if (!team) throw new Error('No team around this page')
  return team
}
