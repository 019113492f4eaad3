import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { shipped } from '../gen/notice.ts'
import { listed, readLock, shippedBy } from './lock.ts'

interface Component {
  'bom-ref': string
  name: string
  version: string
}
interface Bom {
  metadata: { timestamp: string; component: Component }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

/** The commit that a release is made from. */
export interface Source {
  repository: string
  commit: string
  tag: string
  /** When the commit was made. */
  time: string
}

/**
 * A bill of materials in CycloneDX, made by npm from the lock file: all that is in the package, no development
 * dependencies. @returns its text.
 */
function billOfMaterials(root: string, { time }: Pick<Source, 'time'>): string {
  // A development package has an optional peer of another major version, which npm refuses without the second option.
  const args = [
    'sbom',
    '--sbom-format=cyclonedx',
    '--sbom-type=application',
    '--package-lock-only',
    '--legacy-peer-deps',
  ]
  const all = JSON.parse(
    execFileSync('npm', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 64 * 1024 * 1024,
    }),
  ) as Bom
  const lock = readLock(root)
  const wanted = new Set(
    listed(lock, shippedBy(lock, ['', ...shipped, 'packages/nodered', 'packages/drivers'])).map(
      ({ name, version }) => `${name}@${version}`,
    ),
  )
  const own = all.metadata.component
  // npm takes the name of the folder.
  own.name = 'flowforge'
  all.metadata.timestamp = time
  all.components = all.components.filter(({ name, version }) => wanted.has(`${name}@${version}`))
  const kept = new Set(all.components.map((one) => one['bom-ref']))
  all.dependencies = [
    { ref: own['bom-ref'], dependsOn: [...kept] },
    ...all.dependencies
      .filter(({ ref }) => kept.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) })),
  ]
  return `${JSON.stringify(all, null, 2)}\n`
}

const sha256 = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')

/** The lines that `sha256sum --check` reads in the folder of the files. */
const checksums = (files: readonly string[]): string =>
  files.map((file) => `${sha256(file)}  ${basename(file)}\n`).join('')

/**
 * Where the files come from: an in-toto statement with the provenance of SLSA 1.0. It is not signed: the workflow of
 * releases has GitHub attest the same files.
 */
function provenance(root: string, files: readonly string[], { repository, commit, tag, time }: Source): string {
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: files.map((file) => ({ name: basename(file), digest: { sha256: sha256(file) } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: `${repository}#npm-run-release`,
        externalParameters: { repository, tag },
        internalParameters: { node: process.version },
        resolvedDependencies: [
          { uri: `git+${repository}`, digest: { gitCommit: commit } },
          { uri: 'package-lock.json', digest: { sha256: sha256(join(root, 'package-lock.json')) } },
        ],
      },
      runDetails: { builder: { id: process.env.GITHUB_WORKFLOW_REF ?? 'local' }, metadata: { startedOn: time } },
    },
  }
  return `${JSON.stringify(statement, null, 2)}\n`
}

/** Writes bill of materials, provenance and checksums beside the package. @returns all paths, the package first. */
export function writeArtefacts(root: string, file: string, source: Source): string[] {
  const base = file.replace(/\.tgz$/, '')
  const bill = `${base}.cdx.json`
  writeFileSync(bill, billOfMaterials(root, source))
  const origin = `${base}.provenance.json`
  writeFileSync(origin, provenance(root, [file, bill], source))
  const sums = join(file, '..', 'SHA256SUMS')
  writeFileSync(sums, checksums([file, bill, origin]))
  return [file, bill, origin, sums]
}
