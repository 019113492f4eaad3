import { join } from 'node:path'
import { runLicence } from './licence.run.ts'

process.exitCode = runLicence(process.argv.slice(2), {
  // Where npm was called: it changes to the folder of the platform first.
  folder: process.env.INIT_CWD ?? process.cwd(),
  keysFile: join(import.meta.dirname, '../features/settings/vendor.keys.ts'),
  say: (text) => void process.stdout.write(`${text}\n`),
  complain: (text) => void process.stderr.write(`${text}\n`),
})
