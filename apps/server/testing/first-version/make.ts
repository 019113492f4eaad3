/*
 * Fills a server of the first version with a platform, as people would: see README.md beside this file.
 *   node make.ts <port> <name of the instance>
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const [port = '', name = ''] = process.argv.slice(2)
const origin = `http://localhost:${port}`
const jar = join(mkdtempSync(join(tmpdir(), 'forge-first-')), 'cookies')
const cookies = ['-b', jar, '-c', jar]
const curl = (...args: string[]) =>
  execFileSync('curl', ['-sS', '--fail-with-body', ...cookies, ...args], { encoding: 'utf8' })

function call<T>(method: string, path: string, body?: object): T {
  const sent = body ? ['-H', 'content-type: application/json', '-d', JSON.stringify(body)] : []
  const text = curl('-X', method, '-H', `origin: ${origin}`, ...sent, `${origin}${path}`)
  return (text ? JSON.parse(text) : undefined) as T
}
type Named = { id: string }

call('POST', '/account/login', { username: 'alice', password: 'correct horse battery' })
const { types } = call<{ types: Named[] }>('GET', '/api/v1/team-types')
const team = call<Named>('POST', '/api/v1/teams', {
  name: 'Example Bakery',
  slug: 'example-bakery',
  type: types[0]!.id,
})
const application = call<Named>('POST', '/api/v1/applications', { name: 'Ovens', teamId: team.id })
const first = async <T>(path: string, key: string) => call<Record<string, T[]>>('GET', path)[key]![0]!
const instance = call<Named>('POST', '/api/v1/projects', {
  name,
  applicationId: application.id,
  projectType: (await first<Named>('/api/v1/project-types', 'types')).id,
  stack: (await first<Named>('/api/v1/stacks', 'stacks')).id,
  template: (await first<Named>('/api/v1/templates', 'templates')).id,
})
const state = () => call<{ meta: { state: string } }>('GET', `/api/v1/projects/${instance.id}`).meta.state
for (let left = 120; state() !== 'running'; left -= 1, await delay(500)) if (left === 0) throw new Error(state())

// Signs in to the editor as a browser does, and deploys.
const site = `http://${name}.localhost:${port}`
const end = curl('-L', '-o', '/dev/null', '-w', '%{url_effective}', `${site}/auth/strategy`)
const code = end.split('code=')[1] ?? ''
const exchanged = curl('-H', 'content-type: application/json', '-d', JSON.stringify({ code }), `${site}/auth/token`)
const token = (JSON.parse(exchanged) as { accessToken: string }).accessToken
const flows = [
  { id: 'a1', type: 'tab', label: 'Orders' },
  { id: 'b1', type: 'http in', z: 'a1', url: '/orders', method: 'get', x: 120, y: 80, wires: [['c1']] },
  {
    id: 'c1',
    type: 'function',
    z: 'a1',
    func: 'msg.payload = "12 loaves"; return msg',
    outputs: 1,
    x: 300,
    y: 80,
    wires: [['d1']],
  },
  { id: 'd1', type: 'http response', z: 'a1', x: 480, y: 80, wires: [] },
]
const rev = (
  JSON.parse(curl('-H', `authorization: Bearer ${token}`, '-H', 'node-red-api-version: v2', `${site}/flows`)) as {
    rev: string
  }
).rev
curl(
  '-X',
  'POST',
  '-H',
  `authorization: Bearer ${token}`,
  '-H',
  'node-red-api-version: v2',
  '-H',
  'content-type: application/json',
  '-d',
  JSON.stringify({ flows, rev }),
  `${site}/flows`,
)
process.stdout.write(`${site} ${curl('--retry', '20', '--retry-all-errors', `${site}/orders`)}\n`)
