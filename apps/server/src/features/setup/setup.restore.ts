import type { RestoreStatus } from '@app/contract'
import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { hashToken, sameSecret } from '../../platform/crypto.ts'
import { fail } from '../../platform/http/failure.ts'
import { inspectBackup, NotRestored, Unsealable } from '../backup/index.ts'

/** The facts that outlive a platform replaced by a backup: the link, and the progress. */
export interface Restoring {
  status: RestoreStatus
  /** The hash of the one-time link. */
  tokenHash?: string
  /** Ends this platform, restores, and begins the one that was in the file. Absent: the server cannot do that. */
  begin?(given: { file: string; passphrase: string }): void
}

export interface SetupRestoreDependencies {
  config: { home: string; secretKey?: Buffer }
  restoring: Restoring
  isDone(): Promise<boolean>
}

export type SetupRestore = ReturnType<typeof createSetupRestore>

/** Restoring a backup in the browser, for whoever holds the one-time link of a new platform. */
export function createSetupRestore({ config, restoring, isDone }: SetupRestoreDependencies) {
  const folder = join(config.home, 'restore')
  const file = join(folder, 'given.backup')

  function checkToken(token: string): void {
    if (!restoring.tokenHash || !sameSecret(hashToken(token), restoring.tokenHash)) throw fail('invalid_setup_token')
  }
  /** Nothing else may be under way, and the platform be nobody's. */
  async function checkFree(token: string): Promise<void> {
    checkToken(token)
    if (await isDone()) throw fail('invalid_setup_token')
    if (!restoring.begin || ['checking', 'restoring'].includes(restoring.status.phase)) throw fail('invalid_state')
  }

  async function check(passphrase: string): Promise<void> {
    try {
      await inspectBackup(config, { file, passphrase })
    } catch (error) {
      if (!(error instanceof NotRestored) && !(error instanceof Unsealable)) throw error
      restoring.status = { ...restoring.status, phase: 'refused', error: error.message }
      return
    }
    restoring.status = { ...restoring.status, phase: 'restoring' }
    restoring.begin?.({ file, passphrase })
  }

  return {
    /** @throws Failure invalid_setup_token. */
    status(token: string): RestoreStatus {
      checkToken(token)
      return restoring.status
    },

    /** Keeps the file as it comes, in the place of an earlier one. @throws Failure invalid_setup_token, invalid_state. */
    async upload(token: string, bytes: Readable): Promise<RestoreStatus> {
      await checkFree(token)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const coming = join(folder, `${crypto.randomUUID()}.part`)
      try {
        await pipeline(bytes, createWriteStream(coming, { mode: 0o600 }))
        await checkFree(token)
        await rename(coming, file)
      } finally {
        await rm(coming, { force: true })
      }
      const { size } = await stat(file)
      restoring.status = { phase: 'uploaded', size }
      return restoring.status
    },

    /** Begins; `status` tells how it goes on. @throws Failure invalid_setup_token, invalid_state. */
    async begin(token: string, passphrase: string): Promise<RestoreStatus> {
      await checkFree(token)
      const { phase, size } = restoring.status
      if (phase !== 'uploaded' && phase !== 'refused') throw fail('invalid_state', 'Send the backup first')
      restoring.status = { phase: 'checking', ...(size !== undefined && { size }) }
      void check(passphrase).catch(() => {
        restoring.status = { ...restoring.status, phase: 'refused', error: 'The file could not be read' }
      })
      return restoring.status
    },
  }
}
