/** The page to go to after a sign-in, as the address names it: a page of the console, and of no other site. */
export function ownPath(search: string): string {
  const path = new URLSearchParams(search).get('r') ?? '/'
  return /^\/(?![/\\])[^\\\p{Cc}]*$/u.test(path) ? path : '/'
}
