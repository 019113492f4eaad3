import { execFile } from 'node:child_process'
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { AgentError } from '../agent.errors.ts'
import type { FetchPackage } from '../link/package.fetch.ts'

const run = promisify(execFile)
const program = 'apps/agent/dist/main.js'
const unpackMs = 10 * 60_000

export type Versions = ReturnType<typeof openVersions>

/**
 * The versions of the agent on this machine, in the folder of the installer: each in `versions/<sha256>`, and links that
 * say which one is started (files/launch.sh).
 */
export function openVersions(prefix: string) {
  const folder = join(prefix, 'versions')
  const link = (name: 'current' | 'next' | 'trying') => join(prefix, name)

  function behind(name: 'current' | 'trying'): string | undefined {
    try {
      return basename(readlinkSync(link(name)))
    } catch {
      return undefined
    }
  }

  /** Node-RED goes on with the files it was started from. */
  function isUsed(version: string): boolean {
    const path = `${join(folder, version)}/`
    return readdirSync('/proc').some((pid) => {
      try {
        return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(path)
      } catch {
        return false
      }
    })
  }

  /** Removes leftovers of downloads, and versions that nobody needs. */
  function tidy(keep: readonly (string | undefined)[]): void {
    for (const name of readdirSync(folder))
      if (!keep.includes(name) && !isUsed(name)) rmSync(join(folder, name), { recursive: true, force: true })
  }

  return {
    /** The version that is started unless another is to be tried. */
    current: () => behind('current'),
    /** A version that was started for its trial, which has not become the current one. */
    trying: () => behind('trying'),
    tidy,

    /** Downloads and unpacks a version beside the others. @throws AgentError checksum_mismatch and others; ENOSPC. */
    async install(sha256: string, url: string, fetchPackage: FetchPackage, tell: (step: string) => void) {
      const target = join(folder, sha256)
      if (existsSync(join(target, program))) return
      for (const name of readdirSync(folder).filter((one) => one.startsWith('.new.')))
        rmSync(join(folder, name), { recursive: true, force: true })
      const work = mkdtempSync(join(folder, '.new.'))
      try {
        const file = join(work, 'agent.tgz')
        await fetchPackage(url, file, sha256)
        tell('Unpacking')
        await run('tar', ['-xzf', file, '-C', work], { timeout: unpackMs }).catch((cause: Error) => {
          throw new AgentError('unpack_failed', 'The package cannot be unpacked. Is the disk of the device full?', {
            cause,
          })
        })
        // A power cut after the rename must not leave empty files.
        await run('sync', ['-f', work]).catch(async () => run('sync'))
        rmSync(target, { recursive: true, force: true })
        renameSync(join(work, 'package'), target)
      } finally {
        rmSync(work, { recursive: true, force: true })
      }
    },

    /** The next start is of this version, once. */
    tryNext(sha256: string): void {
      rmSync(link('next'), { force: true })
      symlinkSync(`versions/${sha256}`, link('next'))
      flush(folder)
      flush(prefix)
    },

    /** The version on trial is the current one from now on. */
    commit(): void {
      renameSync(link('trying'), link('current'))
      flush(prefix)
    },

    /** Forgets a trial that failed. */
    drop(): void {
      if (lstatSync(link('trying'), { throwIfNoEntry: false })) rmSync(link('trying'), { force: true })
      flush(prefix)
    },
  }
}

/** Returns when names in a folder are on disk. */
function flush(folder: string): void {
  const file = openSync(folder, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
