import { unzipSync } from 'fflate'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const folder = join(import.meta.dirname, '../../.cache/cluster-tools')
/** A package of npm that has both programs for Linux on x64, and needs nothing else. */
const source = '@aws-cdk/asset-kubectl-v20'
const names = ['helm', 'kubectl'] as const

export type ClusterTool = (typeof names)[number]

/** The paths of helm and kubectl for tests that render manifests; undefined where the package has none for this machine. */
export function clusterTools(): Record<ClusterTool, string> | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined
  return { helm: unpack('helm'), kubectl: unpack('kubectl') }
}

/** A kubectl of this machine that knows Kustomize as it is today; that of the package is from before folders were resources. */
export function recentKubectl(): string | undefined {
  const { status, stdout } = spawnSync('kubectl', ['version', '--client', '--output=json'], { encoding: 'utf8' })
  if (status !== 0) return undefined
  const { major, minor } = (JSON.parse(stdout) as { clientVersion: { major: string; minor: string } }).clientVersion
  return Number(major) > 1 || Number.parseInt(minor, 10) >= 21 ? 'kubectl' : undefined
}

function unpack(name: ClusterTool): string {
  const target = join(folder, name)
  if (existsSync(target)) return target
  const main = createRequire(import.meta.url).resolve(source)
  const packed = `${name}/${name}`
  const { [packed]: program } = unzipSync(readFileSync(join(dirname(main), 'layer.zip')), {
    filter: (file) => file.name === packed,
  })
  mkdirSync(folder, { recursive: true })
  // Another test may do the same just now.
  writeFileSync(`${target}.${process.pid}`, program!, { mode: 0o755 })
  renameSync(`${target}.${process.pid}`, target)
  return target
}
