import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The package has its program here; a clone has none. */
const isInstalled = existsSync(fileURLToPath(new URL('../../../bin/flowforge', import.meta.url)))

/** Prefix by which people call the commands for administrators on this machine; the name of the command follows. */
export const adminCommand: string = isInstalled ? 'flowforge admin' : 'npm run admin --'
