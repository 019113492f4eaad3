/*
 * npm run release -- --dry-run            makes everything from this tree, and publishes nothing
 * npm run release -- 1.2.3 [--dry-run]    sets the version and tags it; the pushed tag starts the workflow of releases
 */
import { execFileSync } from 'node:child_process'
import { statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../build/built.ts'
import { makeAgentPackage } from './package.agent.ts'
import { makePackage } from './package.ts'
import { type Source, writeArtefacts } from './release.artefacts.ts'
import { checkNewer, checkTexts, NotReleased, notesOf, versionIn, withVersion } from './release.version.ts'

const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim()
const say = (text: string) => console.log(text)

/** Sets the version everywhere, commits and tags it. A dry run says what that would change. */
function tag(version: string, isDry: boolean): void {
  const current = versionIn(root)
  checkNewer(version, current)
  checkTexts(root, version)
  if (git('tag', '--list', `v${version}`)) throw new NotReleased(`There is a tag v${version} already.`)
  const dirty = git('status', '--porcelain', '--untracked-files=no')
  if (dirty && !isDry) throw new NotReleased(`Commit or remove these changes first:\n${dirty}`)
  const files = withVersion(root, current, version)
  say(`${isDry ? 'Would set' : 'Sets'} the version ${version} in ${[...files.keys()].join(', ')}`)
  say(`${isDry ? 'Would commit' : 'Commits'} "Release ${version}" and tag it v${version}`)
  if (isDry) return
  for (const [path, text] of files) writeFileSync(join(root, path), text)
  execFileSync('npm', ['run', 'gen'], { cwd: root, stdio: 'pipe' })
  git('commit', '--all', '--message', `Release ${version}`)
  git('tag', '--annotate', `v${version}`, '--message', `FlowForge ${version}`)
  say(`\nPush it, and the workflow of releases publishes it: git push origin HEAD v${version}`)
}

/** The package and all that goes with it, from the tree as it is. */
async function make(): Promise<void> {
  const version = versionIn(root)
  checkTexts(root, version)
  const repository = process.env.GITHUB_REPOSITORY
  const source: Source = {
    repository: repository ? `https://github.com/${repository}` : 'local',
    commit: git('rev-parse', 'HEAD'),
    tag: `v${version}`,
    time: new Date(Number(git('log', '-1', '--format=%ct')) * 1000).toISOString(),
  }
  const file = await makePackage()
  const files = writeArtefacts(root, file, source)
  writeFileSync(join(dirname(file), 'NOTES.md'), notesOf(root, version))
  for (const file of files) say(`  ${relative(root, file)}  ${(statSync(file).size / 1e6).toFixed(2)} MB`)
  await makeAgentPackage()
  say(images(version) ?? `  images flowforge:${version} and flowforge-agent:${version}, from these packages`)
}

/** Builds the images of server and agent. @returns why they were not built; undefined if they were. */
function images(version: string): string | undefined {
  try {
    execFileSync('docker', ['info'], { stdio: 'pipe', timeout: 10_000 })
  } catch {
    if (process.env.CI) throw new NotReleased('There is no Docker to build the images with.')
    return `  no images: no Docker answers here. docker build -t flowforge:${version} . makes that of the server from this package`
  }
  say('Building the images: usually 40 seconds …')
  const options = { cwd: root, stdio: 'inherit' } as const
  execFileSync('docker', ['build', '--tag', `flowforge:${version}`, '.'], options)
  const ofAgent = ['--file', 'apps/agent/Dockerfile', '--tag', `flowforge-agent:${version}`]
  execFileSync('docker', ['build', ...ofAgent, '.'], options)
  return undefined
}

const { values, positionals } = parseArgs({
  options: { 'dry-run': { type: 'boolean', default: false }, make: { type: 'boolean', default: false } },
  allowPositionals: true,
})
try {
  const [version] = positionals
  const isDry = values['dry-run']
  if (version === undefined && !isDry && !values.make)
    throw new NotReleased('Name the version, such as 1.2.3, or use --dry-run, which publishes nothing.')
  if (version !== undefined) tag(version, isDry)
  if (isDry || values.make) await make()
  if (isDry) say('Nothing was published: the workflow of releases does that for a pushed tag.')
} catch (error) {
  if (!(error instanceof NotReleased)) throw error
  console.error(error.message)
  process.exitCode = 1
}
