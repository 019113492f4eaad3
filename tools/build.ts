import { areProgramsBuilt, buildPrograms } from './node-build.ts'
import { buildWeb, isWebBuilt } from './web-build.ts'

/** Builds the console, the server and the runtime of instances where they are not up to date, and says so. Ends the process with the reason when that fails. */
export async function buildAll(): Promise<void> {
  if (isWebBuilt() && areProgramsBuilt()) return
  console.log('Building, once after each change …')
  try {
    await buildWeb()
    await buildPrograms()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(1)
  }
}

if (import.meta.main) await buildAll()
