import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { buildAgent, buildBroker } from './node-build.ts'

const root = join(import.meta.dirname, '../..')
const start = (cwd: string, env: Record<string, string>, ...args: string[]) =>
  spawn(process.execPath, args, {
    cwd: join(root, cwd),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
const server = `http://localhost:${process.env.FORGE_PORT ?? 3000}`

// Instances and devices run what is built, whoever runs them.
await buildAgent()
await buildBroker()

/** The server, started again when its sources change, and Vite with hot reload for the console. */
const programs: ChildProcess[] = [
  start('.', {}, '--watch', '--watch-preserve-output', 'apps/server/src/main.ts'),
  start('apps/web', { DEV_SERVER: server }, join(root, 'node_modules/vite/bin/vite.js')),
]

const stop = () => {
  for (const program of programs) program.kill('SIGTERM')
}
for (const program of programs) program.on('exit', stop)
process.on('SIGINT', stop)
process.on('SIGTERM', stop)
