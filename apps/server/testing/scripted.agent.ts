import type { DeviceCredentials } from '@app/contract'
import { type BrokerClient, connectBroker } from './broker.ts'
import { send } from './request.ts'
import { openScriptedTunnel, type ScriptedTunnel, type Serve } from './scripted.tunnel.ts'

interface Update {
  command: string
  project?: string | null
  snapshot?: string | null
  settings?: string
  mode?: string
  responseTopic?: string
  [key: string]: unknown
}

/** Differences between the releases. */
const releases = {
  '1.9.4': { protocolVersion: 4 as const, also: {} },
  '4.2.1': {
    protocolVersion: 4 as const,
    also: { ownerType: null, application: null, licensed: null, nodejsVersion: '22.1.0', nodeRedVersion: '4.1.0' },
  },
}
export type Release = keyof typeof releases

/**
 * A stub of the agent of a release: it speaks the recorded behaviour over the broker and over HTTP, and runs nothing.
 */
export async function startScriptedAgent(
  address: string,
  release: Release,
  device: { id: string; credentials: DeviceCredentials },
  url = device.credentials.broker!.url,
) {
  const { protocolVersion, also } = releases[release]
  const { token, broker } = device.credentials
  const [, team] = broker!.username.split(':')
  const topic = `ff/v1/${team}/d/${device.id}`
  const updates: Update[] = []
  const commands: Update[] = []
  const answers: number[] = []
  const now = { project: null as string | null, snapshot: null as string | null, settings: null as string | null }
  let state = 'unknown'
  let client: BrokerClient

  const report = () =>
    client.client.publishAsync(
      `${topic}/status`,
      JSON.stringify({
        ...now,
        ...also,
        ...(release === '4.2.1' ? { targetState } : {}),
        state,
        mode,
        health: { uptime: 1 },
        agentVersion: release,
      }),
      { qos: 0 },
    )
  const read = async (path: string) => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await send(address, 'GET', `/api/v1/devices/${device.id}/live/${path}`, { headers })
    answers.push(answer.status)
    return answer.json
  }

  async function follow(update: Update): Promise<void> {
    updates.push(update)
    firstUpdate.resolve()
    const before = mode
    mode = update.mode ?? mode
    // It says so at once, and takes nothing else from then on.
    if (mode === 'developer') return mode === before ? undefined : void (await report())
    if (before === 'developer') await read('snapshot')
    if (update.project !== undefined && update.project !== now.project) {
      now.project = update.project
      if (update.project) await client.client.subscribeAsync(`ff/v1/${team}/p/${update.project}/command`, { qos: 0 })
    }
    if (update.snapshot !== undefined && update.snapshot !== now.snapshot) {
      now.snapshot = update.snapshot === null ? null : String((await read('snapshot')).id)
    }
    if (update.settings !== undefined && update.settings !== now.settings)
      now.settings = String((await read('settings')).hash)
    state = told ?? (now.snapshot === null ? 'stopped' : 'running')
    await report()
  }

  /** Release 1.9.4 knows no actions and stays silent. */
  async function obey(command: Update): Promise<void> {
    commands.push(command)
    const { command: what, correlationData, payload } = command
    // Told twice, it sends what it has kept once.
    if (what === 'startLog' && !isLogging) await client.client.publishAsync(`${topic}/logs`, JSON.stringify(logged))
    if (what === 'startLog' || what === 'stopLog') isLogging = what === 'startLog'
    if (what === 'upload') return answer(command, uploaded)
    if (what === 'startEditor') {
      const { token: given } = payload as { token: string }
      if (editorRefusal !== undefined) return answer(command, { connected: false, token: given, error: editorRefusal })
      editorToken = given
      tunnel = await openScriptedTunnel(
        address,
        { deviceId: device.id, token: given, comesBack: release === '4.2.1' },
        serve,
      )
      return answer(command, { connected: true, token: given })
    }
    if (what === 'stopEditor') return tunnel?.end()
    if (what !== 'action' || release === '1.9.4' || !correlationData || !command.responseTopic) return
    const { action } = payload as { action: string }
    targetState = action === 'suspend' ? 'suspended' : 'running'
    state = targetState
    told = targetState
    await answer(
      command,
      refusal === undefined ? { success: true } : { success: false, error: { code: 'x', error: refusal } },
    )
    await report()
  }
  async function answer({ command, correlationData, responseTopic }: Update, payload: unknown): Promise<void> {
    if (payload === undefined) return
    const body = JSON.stringify({ teamId: team, deviceId: device.id, command, correlationData, payload })
    await client.client.publishAsync(responseTopic!, body, { qos: 0 })
  }

  /** Writes a line, as Node-RED on the device does. */
  async function log(msg: string, level = 'info'): Promise<void> {
    const line = { level, msg, ts: `${Date.now()}${String(logged.length).padStart(4, '0')}` }
    logged.push(line)
    if (isLogging) await client.client.publishAsync(`${topic}/logs`, JSON.stringify(line))
  }

  const logged: { ts: string; level: string; msg: string }[] = []
  let isLogging = false
  let refusal: string | undefined
  let told: string | undefined
  let targetState = 'running'
  let mode = 'autonomous'
  let uploaded: unknown
  let editorRefusal: string | undefined
  let editorToken: string | undefined
  let tunnel: ScriptedTunnel | undefined
  let serve: Serve = () => undefined
  let work = Promise.resolve()
  const firstUpdate = Promise.withResolvers<void>()
  async function connect(): Promise<void> {
    client = await connectBroker(url, broker!, { protocolVersion, clean: true })
    client.client.on('message', (_topic, payload) => {
      const command = JSON.parse(payload.toString()) as Update
      if (command.command === 'update') work = work.then(() => follow(command)).catch(() => {})
      else work = work.then(() => obey(command)).catch(() => {})
    })
    // In this order, and without waiting for the subscription: the answer may not come before it all the same.
    await client.client.subscribeAsync(`${topic}/command`, { qos: 0 })
    await report()
  }
  await connect()

  return {
    now,
    updates,
    commands,
    /** Statuses of its calls over HTTP. */
    answers,
    report,
    connect,
    log,
    logged,
    /** Says this state from now on, whatever it is told; `unknown`: as before it was told anything. */
    setState(next: string): void {
      state = next
      told = next === 'unknown' ? undefined : next
    },
    /** Resolves once it has been told what it shall run, and has done all that it was told. */
    async idle(): Promise<void> {
      await firstUpdate.promise
      for (let seen: unknown; seen !== work; ) {
        seen = work
        await work
      }
    },
    /** The flows of the device as it uploads them; undefined: it stays silent. */
    upload: (payload: unknown) => void (uploaded = payload),
    mode: () => mode,
    /** Answers what is asked of its editor. */
    serveEditor: (given: Serve) => void (serve = given),
    refuseEditor: (why: string) => void (editorRefusal = why),
    tunnel: () => tunnel,
    tunnelToken: () => editorToken,
    /** Answers actions with this sentence. */
    refuse: (why: string) => void (refusal = why),
    client: () => client,
    async end() {
      tunnel?.end()
      await client.end()
    },
  }
}
