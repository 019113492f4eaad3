import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

interface Step {
  name?: string
  uses?: string
  run?: string
}
interface Workflow {
  permissions: Record<string, string>
  jobs: Record<
    string,
    {
      container?: string
      'timeout-minutes': number
      steps: Step[]
      strategy?: { matrix: { step?: string[] } }
    }
  >
}

const workflows = globSync('.github/workflows/*.yml', { cwd: root }).map(
  (path) => [path, parse(read(path)) as Workflow] as const,
)
const stepsOf = ({ jobs }: Workflow) => Object.values(jobs).flatMap(({ steps }) => steps)
const steps = workflows.flatMap(([, workflow]) => stepsOf(workflow))

test('workflows fix every action and image by its digest, and get no more rights than they name', () => {
  expect(workflows.map(([path]) => path)).toContain('.github/workflows/ci.yml')
  for (const uses of steps.flatMap((step) => step.uses ?? [])) expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/)
  const text = workflows.map(([path]) => read(path)).join('\n')
  // The version behind it, for people and for tools that propose updates.
  for (const line of text.split('\n').filter((one) => one.includes('uses:'))) expect(line).toMatch(/# v\d+\.\d+\.\d+$/)
  const images = `${text}\n${read('.devcontainer/Dockerfile')}`
  for (const [image] of images.matchAll(/\b(node|ghcr\.io\/gitleaks\/gitleaks):v?\d\S*/g))
    expect(image).toMatch(/@sha256:[0-9a-f]{64}$/)
  for (const [, { permissions, jobs }] of workflows) {
    expect(permissions).toEqual({ contents: 'read' })
    for (const job of Object.values(jobs)) expect(job['timeout-minutes']).toBeGreaterThan(0)
  }
})

test('the workflow of a change runs .ci/run by steps that exist, and leaves out only those that others need', () => {
  const names = execFileSync(process.execPath, ['tools/test/test.ts', '--list'], { cwd: root, encoding: 'utf8' })
  const all = names.trim().split('\n')
  const [, ci] = workflows.find(([path]) => path.endsWith('/ci.yml'))!
  const chosen = ci.jobs.step?.strategy?.matrix.step ?? []
  const prerequisites = ['debian packages', 'node-red versions', 'build']
  // Not in the matrix, whose jobs run in a container themselves.
  expect([...chosen, ...prerequisites, 'container', 'podman'].sort()).toEqual(all.sort())
  const runs = stepsOf(ci).flatMap(({ run = '' }) => (run.includes('.ci/run') ? [run] : []))
  expect(runs).toEqual([
    '.ci/run install',
    '.ci/run "${{ matrix.step }}"',
    '.ci/run install',
    '.ci/run container',
    'sudo env "PATH=$PATH" .ci/run podman',
  ])
  // A step that is left out without an engine runs where there is one.
  expect(ci.jobs.container?.container).toBeUndefined()
})

test('dependencies and secrets are scanned', () => {
  const runs = steps.map(({ run = '' }) => run).join('\n')
  expect(runs).toContain('npm audit --omit=dev')
  expect(runs).toContain('gitleaks')
})

test('a step that does not exist is refused with those that do', () => {
  const call = () => execFileSync(process.execPath, ['tools/test/test.ts', 'sqlit'], { cwd: root, stdio: 'pipe' })
  expect(call).toThrow(/There is no step "sqlit"\. The steps are: .*sqlite/)
})

test('the licence is whole, and every manifest names it or is not published', () => {
  const licence = read('LICENSE')
  expect(licence).toContain('Apache License\n                           Version 2.0, January 2004')
  expect(licence).toContain('END OF TERMS AND CONDITIONS')
  expect(JSON.parse(read('package.json'))).toMatchObject({ license: 'Apache-2.0' })
  for (const path of globSync('{apps,packages}/*/package.json', { cwd: root }))
    expect(JSON.parse(read(path))).toMatchObject({ private: true })
})

test('the changelog tells of the version of the package, and the security policy supports it', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  expect(read('CHANGELOG.md')).toContain(`\n## ${version}\n`)
  expect(read('SECURITY.md')).toContain(`| ${version.replace(/\d+$/, 'x')} | yes |`)
})

test('files that people of the project own exist', () => {
  const paths = read('.github/CODEOWNERS')
    .split('\n')
    .flatMap((line) => /^(\/\S+)/.exec(line)?.[1] ?? [])
  expect(paths.length).toBeGreaterThan(0)
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

test('the container of the agent runs as no root, has one volume, and stands on the image of the server', () => {
  const [server, agent] = [read('Dockerfile'), read('apps/agent/Dockerfile')]
  const baseOf = (text: string) => /^ARG BASE=(\S+)$/m.exec(text)?.[1]
  expect(baseOf(agent)).toBe(baseOf(server))
  expect(agent).toMatch(/^USER 1000:1000$/m)
  expect(agent.match(/^VOLUME \S+$/gm)).toEqual(['VOLUME /data'])
})

test('the container runs as no root, has a health check and a volume, and takes images by digest', () => {
  const dockerfile = read('Dockerfile')
  expect(dockerfile).toMatch(/^ARG BASE=\S+@sha256:[0-9a-f]{64}$/m)
  expect(dockerfile).toMatch(/^USER 1000:1000$/m)
  expect(dockerfile).toMatch(/^HEALTHCHECK .*"flowforge", "ready"/m)
  expect(dockerfile.match(/^VOLUME \S+$/gm)).toEqual(['VOLUME /data'])
  const { services } = parse(read('compose.yaml')) as { services: Record<string, { image: string }> }
  expect(services.database?.image).toMatch(/@sha256:[0-9a-f]{64}\}$/)
})
