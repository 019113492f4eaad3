/** The log of the platform, where an entry about what belongs to no team stands. */
export const platformScope = { type: 'platform', id: 'platform' } as const

/** The log of a person, where an entry about them stands. */
export const userScope = (id: string) => ({ type: 'user' as const, id })

/** The log of a team, where an entry about what belongs to it stands. */
export const teamScope = (id: string) => ({ type: 'team' as const, id, team: id })
