import type { User } from '@app/contract'
import { createContext, useContext } from 'react'

export const UserContext = createContext<User | undefined>(undefined)

/**
 * The signed-in user, for what only renders once the gates are passed. It comes from the gates and not from the cache:
 * there the user is gone a moment before the gate closes.
 */
export function useUser(): User {
  const user = useContext(UserContext)
  if (!user) throw new Error('Nobody is signed in')
  return user
}
