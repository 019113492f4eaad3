import { installedEnvironment } from './installed.ts'
import { runFlowforge } from './flowforge.run.ts'

// "flowforge check | head": whoever reads the output may stop early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
const env = installedEnvironment(process.env)
// Everything that reads settings sees the same ones.
Object.assign(process.env, env)
const code = await runFlowforge(process.argv.slice(2), {
  env,
  folder: process.cwd(),
  program: 'flowforge admin',
  say: (text) => void process.stdout.write(`${text}\n`),
  ask: async (question) => (await import('./prompt.ts')).askSecret(question),
  start: async () => (await import('./start.ts')).startServer(env.FORGE_HOME!, () => import('../main.ts')),
})
// A server that was started goes on.
if (code !== undefined) process.exitCode = code
