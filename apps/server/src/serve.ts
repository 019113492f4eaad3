import type { Driver } from '@app/drivers'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { type App, type AppOptions, createApp } from './app.ts'
import type { Config } from './config.ts'
import { NotRestored, RestoreUnfinished, Unsealable } from './features/backup/index.ts'
import type { Restoring } from './features/setup/index.ts'
import { type Given, restorePlatform } from './restore.ts'
import { openCertificates } from './platform/tls/files.ts'
import { serveRestoring } from './restoring.server.ts'

export interface ServeOptions extends Omit<AppOptions, 'driver' | 'restoring' | 'certificates'> {
  openDriver(config: Config): Driver
}

/**
 * Runs the server until it is closed. A backup that is restored from the set-up page ends the platform that was there,
 * which has no administrator yet, and another begins in this process, on the same address. `link` is the token of the one-time
 * link, while there is one.
 */
export async function serve({ openDriver, ...options }: ServeOptions) {
  const { config, log } = options
  const source = config.tls?.source
  const certificates = source?.kind === 'files' ? openCertificates(source, log) : undefined
  const restoring: Restoring = { status: { phase: 'none' } }
  let work: Promise<void> | undefined
  const begin = (given: { file: string; passphrase: string }) => {
    // A failed replacement ends the process, and its watcher starts it anew.
    work = replace(given).catch((error: unknown) => {
      log.fatal({ err: error }, 'the platform did not come back')
      throw error
    })
  }

  async function open(): Promise<App> {
    const app = await createApp({
      ...options,
      certificates,
      driver: openDriver(config),
      restoring: Object.assign(restoring, { begin }),
    })
    await app.listen()
    return app
  }

  async function replace(given: { file: string; passphrase: string }): Promise<void> {
    await app.close()
    const place = await serveRestoring(config, options.socket, app.certificates)
    try {
      restoring.status = await restored(config, log, openDriver(config), { ...given, report: place.tell })
    } finally {
      await place.close()
    }
    app = await open()
  }

  await rm(join(config.home, 'restore'), { recursive: true, force: true })
  let app = await open()
  return {
    link: await app.setup.offer(),
    /** Looks for a newer certificate; absent where the server has none. */
    ...(config.tls && { reload: () => void app.certificates?.reload() }),
    /** The fingerprint of the authority that people have to trust, if it belongs to the platform itself. */
    authority: app.certificates?.authority?.fingerprint,
    /** Lets requests finish first, for as long as the settings say or until `hurry` aborts. */
    async close(hurry?: AbortSignal) {
      await work
      if (hurry && config.stopSeconds > 0) await app.drain(config.stopSeconds, hurry)
      await app.close()
      certificates?.close()
    },
  }
}

/** Tries; whatever comes of it, a platform can be opened afterwards. */
async function restored(config: Config, log: Logger, driver: Driver, given: Given) {
  try {
    await restorePlatform(config, driver, given)
    await rm(given.file, { force: true })
    return { phase: 'restored' } as const
  } catch (error) {
    if (error instanceof RestoreUnfinished) {
      // The platform that is opened next brings the schema up to date.
      log.error({ err: error }, 'backup restored, but not to the last step')
      return { phase: 'restored' } as const
    }
    log.error({ err: error }, 'backup not restored')
    const known = error instanceof NotRestored || error instanceof Unsealable
    const why = known
      ? error.message
      : 'The server could not restore it. Its log says why; this platform is still empty.'
    return { phase: 'refused', error: why } as const
  } finally {
    await driver.close()
  }
}
