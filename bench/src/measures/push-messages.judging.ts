import type { Client } from '@app/client'
import type { TakeoverSetting } from '@app/contract'
import { freePort, startMosquitto } from '@app/drivers/testing/mosquitto'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { median } from '../figures.ts'
import { deployed, type Way } from '../pushes.ts'
import type { Row } from '../report.ts'
import { nodered } from './push-messages.flows.ts'
import { plantOf, plantSize } from './push-messages.plant.ts'

interface Judging {
  takeover: Exclude<TakeoverSetting, 'auto'>
  home: string
  steadyMs: number
}
interface Target {
  client: Client
  id: string
  push: Way
  rounds: number
}

const roundsMax = 7

/**
 * The time that judging adds to a push of a plant: from the moment at which its flows have started, by the log of
 * Node-RED, to the end of the deployment, less the steady time. The change from one version to the other is within it.
 */
export async function judging(target: Target, { takeover, home, steadyMs }: Judging): Promise<Row> {
  const { client, id, push } = target
  const mosquitto = await startMosquitto(join(home, 'stacks', nodered))
  const scanner = await startScanner()
  // Two versions cannot listen on one port beside each other.
  const listens = takeover === 'beside' ? undefined : await freePort()
  const plant = (version: string) => plantOf({ version, broker: mosquitto.port, scanner: scanner.port, listens })
  try {
    await push(plant('first'))
    await deployed(client, id, 'done')
    const times: number[] = []
    for (let round = 0; round < Math.min(roundsMax, target.rounds); round++) {
      const asked = Date.now()
      await push(plant(`round ${round}`))
      const { endedAt, takeover: took, faults = [], warning } = await deployed(client, id, 'done')
      if (took?.way !== takeover || warning !== undefined || faults.length > 0)
        throw new Error(`It took over ${took?.way}: ${warning} ${JSON.stringify(faults)}`)
      times.push(Date.parse(endedAt!) - (await startedFlows(client, id, asked)) - steadyMs)
    }
    return {
      name: `${takeover}: judging a good push of ${plantSize} nodes, beside the steady time`,
      value: median(times) / 1_000,
      unit: 's',
      target: { is: 'at most', value: 0.3 },
      measured:
        'from “Started flows” of the new version in the log to the end of the deployment, the change of version and the end of the old process included; less the steady time',
      data: `Node-RED ${nodered}, ${times.length} pushes of ten lines with HTTP, MQTT, TCP and subflows, steady for ${steadyMs / 1_000} s, with a health check`,
      note: `${Math.min(...times)} to ${Math.max(...times)} ms`,
    }
  } finally {
    await scanner.close()
    await mosquitto.close()
  }
}

/** When the last version of the flows has started, after a time. @throws Error when none did. */
async function startedFlows(client: Client, instanceId: string, after: number): Promise<number> {
  const query = { search: 'Started flows', limit: 1_000 }
  const { log } = await client.call('instance.logs', { params: { instanceId }, query })
  // The first 13 digits of an entry's time are milliseconds.
  const at = log.map(({ ts }) => Number(String(ts).slice(0, 13))).filter((one) => one >= after)
  if (at.length === 0) throw new Error('The log does not say that the flows have started')
  return Math.max(...at)
}

/** A machine that takes connections, and says nothing. */
async function startScanner() {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => undefined).on('close', () => open.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
