import { isAbsolute, join } from 'node:path'
import * as z from 'zod/mini'

const Path = z.string().check(z.refine(isAbsolute, 'it must be an absolute path'))

const Schema = z.object({
  /** Folder of the platform's state. Stacks, instances and their logs are below it. */
  home: Path,
  /** The program that is run for each instance. */
  runtimeEntry: Path,
  /** Where stacks are; `<home>/stacks` by default. */
  stacksDir: z.optional(Path),
  /** How npm is run; by default the npm that runs this process, else the one on the PATH. */
  npm: z.optional(z.object({ command: z.string(), args: z.array(z.string()) })),
})

export type LocalDriverConfig = z.input<typeof Schema>

export interface Config {
  runtimeEntry: string
  stacksDir: string
  instancesDir: string
  /** What Node.js has compiled of stacks, which saves a part of every start. */
  compiledDir: string
  npm: { command: string; args: string[] }
}

/** @throws ZodError naming what is wrong. */
export function readConfig(input: LocalDriverConfig): Config {
  const { home, runtimeEntry, stacksDir = join(home, 'stacks'), npm } = Schema.parse(input)
  return {
    runtimeEntry,
    stacksDir,
    instancesDir: join(home, 'instances'),
    compiledDir: join(stacksDir, 'compiled'),
    npm: npm ?? defaultNpm(process.env.npm_execpath),
  }
}

function defaultNpm(execPath: string | undefined): Config['npm'] {
  return execPath?.endsWith('.js') ? { command: process.execPath, args: [execPath] } : { command: 'npm', args: [] }
}
