import { isListening } from '@app/drivers/testing/mosquitto'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../tools/test/free-port.ts'
import type { Config } from '../src/config.ts'
import { until } from './build.ts'

const password = 'of-the-platform-itself'
const [plugin = 'mosquitto_dynamic_security.so'] = globSync('/usr/lib/*/mosquitto_dynamic_security.so')

interface DynamicSecurity {
  clients: { username: string; roles: object[] }[]
  roles: { rolename: string; acls?: { topic: string }[] }[]
  defaultACLAccess: Record<string, boolean>
}

/**
 * A Mosquitto with dynamic security, prepared as the handbook tells operators. By its defaults everybody may do everything, so that
 * rights are what its roles say.
 */
export async function openMosquitto() {
  const folder = await mkdtemp(join(tmpdir(), 'forge-mosquitto-'))
  const [file, state] = [join(folder, 'mosquitto.conf'), join(folder, 'dynamic-security.json')]
  const port = await freePort()
  const lines = [
    `listener ${port} 127.0.0.1`,
    'allow_anonymous false',
    `plugin ${plugin}`,
    `plugin_opt_config_file ${state}`,
    'persistence true',
    `persistence_location ${folder}/`,
    `user ${userInfo().username}`,
  ]
  await writeFile(file, `${lines.join('\n')}\n`)
  execFileSync('mosquitto_ctrl', ['dynsec', 'init', state, 'forge_platform', password], { stdio: 'ignore' })
  const read = async () => JSON.parse(await readFile(state, 'utf8')) as DynamicSecurity
  /** Mosquitto writes over its file, so at times half of it is there. */
  const readWhole = async () =>
    until(
      async () => read().catch(() => undefined),
      (whole) => whole !== undefined,
    ).then((whole) => whole!)
  const made = await read()
  for (const kind of Object.keys(made.defaultACLAccess)) made.defaultACLAccess[kind] = true
  await writeFile(state, JSON.stringify(made))
  let child: ChildProcess | undefined

  const broker: NonNullable<Config['broker']> = {
    url: `mqtt://127.0.0.1:${port}`,
    password,
    hooksFrom: [],
    auth: 'mosquitto',
  }
  async function start(): Promise<void> {
    child = spawn('mosquitto', ['-c', file], { stdio: 'ignore' })
    const failed = new Promise<never>((_, reject) => child!.once('error', reject))
    failed.catch(() => undefined)
    await Promise.race([until(() => isListening(port), Boolean), failed])
  }
  async function end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
  await start()
  return {
    broker,
    url: broker.url!,
    /** The clients and roles on its disk. */
    read: readWhole,
    start,
    end,
    async close() {
      await end('SIGKILL')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
