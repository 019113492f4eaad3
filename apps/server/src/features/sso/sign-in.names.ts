import { limits, reservedUsernames } from '@app/contract'

/** User names for a new account, the best first: the wish, then the same with a number, then by chance. */
export function usernamesFor({ username, email }: { username?: string | undefined; email: string }): string[] {
  const wish = (username ?? email).split('@')[0]!
  const base =
    wish
      .normalize('NFKD')
      .replace(/[^a-z0-9\-_]+/gi, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, limits.nameMax - 8) || 'user'
  const numbered = Array.from({ length: 20 }, (_, n) => `${base}-${n + 1}`)
  const chance = `${base}-${Math.random().toString(36).slice(2, 8)}`
  return [base, ...numbered, chance].filter((name) => !reservedUsernames.includes(name.toLowerCase()))
}

/** The name of a person, as accounts take it. */
export function personName(name: string | undefined, username: string): string {
  const clean = (name ?? '').replaceAll('\0', '').trim().slice(0, limits.nameMax)
  return clean === '' || clean.includes('://') ? username : clean
}
