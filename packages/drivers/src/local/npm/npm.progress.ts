/** Packages that npm will fetch, by a lock file: those that are not inside others and not only for other systems. */
export function countPackages(lockText: string): number {
  const { packages } = JSON.parse(lockText) as {
    packages: Record<string, { inBundle?: boolean; os?: string[]; cpu?: string[] }>
  }
  const here = (list: string[] | undefined, own: string) => list === undefined || list.includes(own)
  return Object.entries(packages).filter(
    ([path, { inBundle, os, cpu }]) =>
      path !== '' && !inBundle && here(os, process.platform) && here(cpu, process.arch),
  ).length
}

/** The requests npm makes while it resolves, and while it fetches. */
export const fetchForms = { any: /https?:\S+/, package: /https?:\S+\.tgz/ }

/** Counts the different addresses of this form in npm's log. */
export function countFetches(form: RegExp, onCount: (count: number) => void): (line: string) => void {
  const seen = new Set<string>()
  return (line) => {
    const [address] = (line.startsWith('npm http') && form.exec(line)) || []
    if (!address || seen.has(address)) return
    seen.add(address)
    onCount(seen.size)
  }
}
