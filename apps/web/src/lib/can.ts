import { roles } from '@app/contract/roles'
import { allows, type Scope } from '@app/contract/scopes'
import { createContext, useContext } from 'react'

const RoleContext = createContext<number>(roles.none)

/** Tells the controls inside it with which role the person looks at the team that owns what they show. */
export const RoleProvider = RoleContext.Provider

/** The role in the team at hand; a platform administrator passes every scope. */
export const useRole = (): number => useContext(RoleContext)

/** May the person do this here? For display only: the server decides again. */
export const useCan = (scope: Scope): boolean => allows(useRole(), scope)

const TeamRoleContext = createContext<number>(roles.none)

/** Tells the role in the team itself, where the one that counts is that in an application. */
export const TeamRoleProvider = TeamRoleContext.Provider

/** May the person do this to the team itself, whatever their role in the application is? */
export const useCanInTeam = (scope: Scope): boolean => allows(useContext(TeamRoleContext), scope)
