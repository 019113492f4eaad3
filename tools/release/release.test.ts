import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { listed, readLock, shippedBy } from './lock.ts'
import { writeArtefacts } from './release.artefacts.ts'
import { checkNewer, checkTexts, NotReleased, notesOf, versionIn, withVersion } from './release.version.ts'

const root = join(import.meta.dirname, '../..')

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'forge-release-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('a new version is set in every manifest, the lock file, the compose file and the handbook', () => {
  const folder = newFolder()
  const current = versionIn(root)
  const changed = withVersion(root, current, '9.8.7')
  expect([...changed.keys()]).toEqual(
    expect.arrayContaining([
      'package.json',
      'apps/server/package.json',
      'package-lock.json',
      'compose.yaml',
      'docs/install.md',
      'docs/quick-start.md',
    ]),
  )
  for (const [path, text] of changed) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  expect(versionIn(folder)).toBe('9.8.7')
  expect(readFileSync(join(folder, 'compose.yaml'), 'utf8')).toContain('flowforge:9.8.7')
  expect(readFileSync(join(folder, 'docs/install.md'), 'utf8')).not.toContain(`flowforge-${current}`)
  // Versions of other packages in the lock file stay, also where they are the same number.
  const before = readLock(root)
  for (const [path, entry] of Object.entries(readLock(folder)))
    expect(entry.version).toBe(
      path.includes('node_modules/') || !before[path]?.version ? before[path]?.version : '9.8.7',
    )
  // Unchanged but for the version, as npm writes it.
  const lock = changed.get('package-lock.json')!.split('\n')
  const old = readFileSync(join(root, 'package-lock.json'), 'utf8').split('\n')
  expect(lock.filter((line, at) => line !== old[at]).every((line) => /^ +"version": "9\.8\.7",?$/.test(line))).toBe(
    true,
  )
})

test.each(['0.0.1', '0.1', 'v1.0.0', '1.0.0-beta'])('%s is refused as the version after 0.1.0', (version) => {
  expect(() => checkNewer(version, '0.1.0')).toThrow(NotReleased)
})

test('a version without a section in the changelog is refused, and the current one has it', () => {
  expect(() => checkTexts(root, '9.8.7')).toThrow('CHANGELOG.md has no section "## 9.8.7"')
  checkTexts(root, versionIn(root))
})

test('beside the package stand its bill of materials, its origin, and checksums that sha256sum accepts', () => {
  const folder = newFolder()
  const file = join(folder, 'flowforge-1.2.3.tgz')
  writeFileSync(file, 'the package')
  const source = {
    repository: 'https://github.com/example/forge',
    commit: 'a'.repeat(40),
    tag: 'v1.2.3',
    time: '2026-01-02T03:04:05.000Z',
  }
  const files = writeArtefacts(root, file, source)
  expect(files.every((path) => existsSync(path))).toBe(true)
  const checked = execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: folder, encoding: 'utf8' })
  expect(checked).toContain('flowforge-1.2.3.tgz: OK')

  const bill = JSON.parse(readFileSync(join(folder, 'flowforge-1.2.3.cdx.json'), 'utf8')) as {
    bomFormat: string
    metadata: { component: { name: string } }
    components: { name: string; version: string; hashes?: object[]; licenses?: object[] }[]
  }
  expect(bill).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'flowforge' } } })
  const lock = readLock(root)
  const inPackage = listed(
    lock,
    shippedBy(lock, [
      '',
      'apps/server',
      'apps/web',
      'apps/agent',
      'apps/broker',
      'apps/instance-runtime',
      'packages/nodered',
      'packages/drivers',
    ]),
  )
  const named = bill.components.map(({ name, version }) => `${name}@${version}`)
  expect(named.toSorted()).toEqual(inPackage.map(({ name, version }) => `${name}@${version}`).toSorted())
  expect(named.filter((one) => /^(vitest|@biomejs|playwright)/.test(one))).toEqual([])

  const origin = JSON.parse(readFileSync(join(folder, 'flowforge-1.2.3.provenance.json'), 'utf8')) as object
  const sum = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').split(' ')[0]
  expect(origin).toMatchObject({
    predicateType: 'https://slsa.dev/provenance/v1',
    subject: [{ name: 'flowforge-1.2.3.tgz', digest: { sha256: sum } }, {}],
    predicate: { buildDefinition: { resolvedDependencies: [{ digest: { gitCommit: source.commit } }, {}] } },
  })
})

test('a release is one commit and one tag, and a tree with changes is refused', { timeout: 120_000 }, () => {
  const clone = newFolder()
  const env = { ...process.env, GIT_AUTHOR_NAME: 'alice', GIT_AUTHOR_EMAIL: 'alice@example.com' }
  Object.assign(env, { GIT_COMMITTER_NAME: env.GIT_AUTHOR_NAME, GIT_COMMITTER_EMAIL: env.GIT_AUTHOR_EMAIL })
  const git = (...args: string[]) => execFileSync('git', args, { cwd: clone, encoding: 'utf8', env }).trim()
  execFileSync('git', ['clone', '--quiet', '--depth=1', `file://${root}`, clone])
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))
  // As the sources are here, committed or not.
  for (const path of ['tools/release', 'package.json']) cpSync(join(root, path), join(clone, path), { recursive: true })
  const write = (path: string, from: RegExp, to: string) =>
    writeFileSync(join(clone, path), readFileSync(join(clone, path), 'utf8').replace(from, to))
  write('CHANGELOG.md', /\n## /, '\n## 9.8.7\n\nOvens.\n\n## ')
  write('SECURITY.md', /\| \d+\.\d+\.x \| yes \|/, '| 9.8.x | yes |')
  const release = (...args: string[]) =>
    execFileSync(process.execPath, ['tools/release/release.ts', ...args], {
      cwd: clone,
      encoding: 'utf8',
      stdio: 'pipe',
      env,
    })
  expect(() => release('9.8.7')).toThrow(/Commit or remove these changes first/)
  git('add', 'tools')
  git('commit', '--quiet', '--all', '--message', 'Write the changelog')
  release('9.8.7')
  expect(git('log', '-1', '--format=%s')).toBe('Release 9.8.7')
  expect(git('rev-parse', 'v9.8.7^{commit}')).toBe(git('rev-parse', 'HEAD'))
  expect(git('status', '--porcelain', '--untracked-files=no')).toBe('')
  expect(versionIn(clone)).toBe('9.8.7')
  expect(notesOf(clone, '9.8.7')).toBe('Ovens.\n')
  expect(() => release('9.8.7')).toThrow(/9\.8\.7 is not newer than 9\.8\.7/)
})
