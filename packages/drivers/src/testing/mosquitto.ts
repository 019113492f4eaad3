import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { connect as connectTo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from './until.ts'

interface Client {
  publishAsync(topic: string, message: string, options: { qos: 0 | 1 | 2 }): Promise<unknown>
  endAsync(): Promise<void>
}

/** A port of this machine that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Does anybody listen there? */
export const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connectTo(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })

/** A real broker, and a client with which to publish, by the library in the folder of a stack. */
export async function startMosquitto(stack: string) {
  const port = await freePort()
  const folder = await mkdtemp(join(tmpdir(), 'forge-mosquitto-'))
  const file = join(folder, 'mosquitto.conf')
  await writeFile(file, `listener ${port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\n`)
  const child: ChildProcess = spawn('mosquitto', ['-c', file], { stdio: 'ignore' })
  const failed = new Promise<never>((_, reject) => child.once('error', reject))
  failed.catch(() => undefined)
  const fromStack = createRequire(join(stack, 'node_modules/mqtt/package.json'))
  const mqtt = fromStack('mqtt') as { connectAsync(url: string, options: object): Promise<Client> }
  const connect = () => mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 50 })
  const ready = until('the broker listens', () => isListening(port))
  const client = await Promise.race([ready.then(connect), failed])
  return {
    port,
    /** Publishes numbers one after the other until told to end; returns how many there were. */
    publish(topic: string, qos: 0 | 1 | 2, perSecond = 50) {
      const sent: { number: number; at: number }[] = []
      let over = false
      const done = (async () => {
        const from = Date.now()
        while (!over) {
          sent.push({ number: sent.length, at: Date.now() })
          await client.publishAsync(topic, String(sent.length - 1), { qos })
          await delay(Math.max(0, from + (sent.length * 1_000) / perSecond - Date.now()))
        }
      })()
      // A test that gives up tells why, and not that its broker was closed then.
      done.catch(() => undefined)
      return {
        end: async () => {
          over = true
          await done
          return sent
        },
      }
    },
    async close() {
      await client.endAsync()
      child.kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
