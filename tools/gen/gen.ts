import { type AuditKey, auditEvents, auditIcon, type Route, roleName, routes, scopes } from '@app/contract'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { accessText, openApi } from '../../apps/server/src/platform/http/openapi.ts'
import { contractFiles } from './contract.ts'
import { decisionsPage } from './decisions.ts'
import { healthPage } from './health.ts'
import { noticeText } from './notice.ts'
import { requirementsPage } from './requirements.ts'
import { settingsPage } from './settings.ts'
import { troubleshootingPage } from './troubleshooting.ts'
import { checksumsText } from '../check/migrations.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const all = Object.entries(routes) as [string, Route][]
const table = (head: string[], rows: string[][]) =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')

function routeMap(): string {
  const lines = all.map(([id, { method, path }]) => `  '${id}': ['${method}', '${path}'],`)
  return `// Written by \`npm run gen\`.\nimport type { RouteMap } from './client.ts'\n\nexport const routeMap: RouteMap = {\n${lines.join('\n')}\n}\n`
}

function permissionsPage(): string {
  const rows = Object.entries(scopes).map(([name, rule]) => [
    `\`${name}\``,
    roleName(rule.minimum),
    'self' in rule ? 'yes' : '',
    rule.means,
  ])
  const calls = all.map(([id, route]) => [`\`${id}\``, `\`${route.method} ${route.path}\``, accessText(route.access)])
  return [
    '# Permissions',
    '',
    'Written by `npm run gen` from the contract.',
    '',
    '## Scopes',
    '',
    table(['Scope', 'Smallest role', 'Own record', 'Lets one'], rows),
    '',
    '## Calls',
    '',
    table(['Call', 'Address', 'Who'], calls),
    '',
  ].join('\n')
}

function auditPage(): string {
  const rows = Object.entries(auditEvents).map(([key, event]) => [
    `\`${key}\``,
    event.label,
    event.scopes.join(', '),
    event.body.join(', ') || '–',
    auditIcon(key as AuditKey),
  ])
  return [
    '# Audit events',
    '',
    'Written by `npm run gen` from the contract.',
    '',
    table(['Key', 'Label', 'Log', 'Body always carries', 'Icon'], rows),
    '',
  ].join('\n')
}

const files: Record<string, () => string> = {
  ...contractFiles,
  'packages/client/src/routes.generated.ts': routeMap,
  'docs/generated/openapi.json': () => `${JSON.stringify(openApi(), null, 2)}\n`,
  'docs/generated/permissions.md': permissionsPage,
  'docs/generated/audit-events.md': auditPage,
  'docs/generated/requirements.md': requirementsPage,
  'docs/decisions/README.md': decisionsPage,
  'docs/settings.md': settingsPage,
  'docs/health.md': healthPage,
  'docs/troubleshooting.md': troubleshootingPage,
  NOTICE: noticeText,
  'apps/server/migrations/checksums.json': checksumsText,
}

const check = process.argv.includes('--check')
const stale: string[] = []
for (const [name, make] of Object.entries(files)) {
  const current = await readFile(root + name, 'utf8').catch(() => '')
  const next = make()
  if (current === next) continue
  stale.push(name)
  if (!check) await writeFile(root + name, next)
}
for (const name of stale) console.log(`${check ? 'out of date' : 'written'}: ${name}`)
if (check && stale.length > 0) {
  console.error('Run `npm run gen` and commit what it writes.')
  process.exit(1)
}
