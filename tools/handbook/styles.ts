import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const require = createRequire(import.meta.url)

/**
 * Returns the colours of the console as plain CSS, from apps/web/src/ui/tokens.css. Without a script the theme follows
 * the system, so the dark values stand there a second time, for pages on which no script has chosen.
 */
export function tokenStyles(root: string): string {
  const tokens = readFileSync(join(root, 'apps/web/src/ui/tokens.css'), 'utf8').split('@theme')[0]!
  const scales = [...tokens.matchAll(/@import "(@radix-ui[^"]+)";/g)].map(([, name]) =>
    readFileSync(require.resolve(name!), 'utf8'),
  )
  const own = tokens.replace(/@import [^\n]+\n/g, '')
  const [ownLight = '', ownDark = ''] = own.split(/(?=\[data-theme="dark"\])/)
  const dark = scales.filter((scale) => scale.includes('.dark'))
  const light = scales.filter((scale) => !scale.includes('.dark'))
  const unchosen = [...dark, ownDark]
    .join('\n')
    .replaceAll(/\.dark, \.dark-theme|\[data-theme="dark"\]/g, ':root:not([data-theme])')
  return [...light, ownLight, ...dark, ownDark, `@media (prefers-color-scheme: dark) {\n${unchosen}\n}`].join('\n')
}
