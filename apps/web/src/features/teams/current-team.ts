import { readStored, writeStored } from '../../lib/storage.ts'

const key = 'team'

/** Remembers in which team this browser worked last. */
export const rememberTeam = (id: string): void => writeStored(key, id)

/** The team to go to when the address names none: the last one, else the person's default, else their first. */
export function chooseTeam<T extends { id: string }>(teams: T[], defaultTeam: string | undefined): T | undefined {
  const find = (wanted: string | undefined) => teams.find(({ id }) => id === wanted)
  return find(readStored(key)) ?? find(defaultTeam) ?? teams[0]
}
