import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** The image of the containers that tests start. */
export const image = 'forge-test-instance'
/** The programs that flows of the tests run, and those that start each container. */
const programs = ['sh', 'cat', 'env', 'id', 'ls', 'seq', 'setsid', 'sleep', 'touch', 'true']

/** Runs the client of Docker. @throws Error with what it said. */
export const docker = (...args: string[]): string => execFileSync('docker', args, { encoding: 'utf8', stdio: 'pipe' })

/** Makes an image of programs of this machine, so that no registry of images is needed. There already: no effect. */
export function ensureImage(): void {
  if (spawnSync('docker', ['image', 'inspect', image], { stdio: 'ignore' }).status === 0) return
  const root = mkdtempSync(join(tmpdir(), 'forge-image-'))
  try {
    for (const name of ['usr/bin', 'usr/lib', 'usr/lib64', 'tmp', 'etc'])
      mkdirSync(join(root, name), { recursive: true })
    chmodSync(join(root, 'tmp'), 0o1777)
    for (const name of ['bin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(root, name))
    const paths = programs.map(pathOf)
    for (const path of [...paths, ...librariesOf([process.execPath, ...paths])]) copy(path, root)
    execFileSync('sh', ['-c', `tar -C '${root}' -cf - . | docker import - ${image}`], { stdio: 'pipe' })
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const pathOf = (name: string) => execFileSync('which', [name], { encoding: 'utf8' }).trim()

function copy(path: string, root: string): void {
  const target = join(root, path)
  mkdirSync(dirname(target), { recursive: true })
  cpSync(realpathSync(path), target)
}

function librariesOf(paths: string[]): string[] {
  const said = execFileSync('ldd', paths, { encoding: 'utf8' })
  return [...new Set([...said.matchAll(/(?:=> |^\s+)(\/\S+) \(/gm)].map(([, path]) => path!))]
}
