import { askSecret } from './prompt.ts'
import { run } from './run.ts'

/** Where npm was called: it changes to the folder of the platform first. */
const folder = process.env.INIT_CWD ?? process.cwd()
process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  folder,
  say: (text) => void process.stdout.write(`${text}\n`),
  ask: askSecret,
})
