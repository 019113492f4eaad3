import type { Takeover } from '@app/contract/takeover'
import { FlowsRefused } from '@app/drivers/judging'
import { randomUUID } from 'node:crypto'
import packageFile from '../package.json' with { type: 'json' }
import type { DeviceFile } from './agent.config.ts'
import { AgentError, explained } from './agent.errors.ts'
import type { Log } from './agent.log.ts'
import { createActions } from './control/actions.ts'
import { createCommands } from './control/commands.ts'
import { createMemory } from './control/memory.ts'
import { createModes } from './control/modes.ts'
import { openWishes } from './control/wishes.store.ts'
import { createWork } from './control/work.ts'
import { createEditor } from './editor/editor.ts'
import { localEditor } from './editor/local.editor.ts'
import { openBrokerLink } from './link/broker.link.ts'
import { createSend } from './link/http.client.ts'
import { createFetchPackage } from './link/package.fetch.ts'
import { createPlatformLink, type Wanted } from './link/platform.link.ts'
import { instanceList, linkOf } from './link/messages.ts'
import { createAuditQueue } from './logs/audit.queue.ts'
import { createHistory } from './logs/history.ts'
import { createLogStream } from './logs/log.stream.ts'
import { openFront } from './nodered/front.ts'
import { startLocalPlatform } from './nodered/local.platform.ts'
import { createRuntime } from './nodered/runtime.ts'
import { createAttempts, refusalOf } from './targets/attempts.ts'
import { createDeploy } from './targets/deploy.ts'
import { downloadTarget } from './targets/download.ts'
import { openState } from './targets/state.store.ts'
import { type Attempted, failedOf } from './targets/target.ts'
import { openUpdates } from './update/update.store.ts'
import { createUpdater, type Launch } from './update/updater.ts'
import { createRest } from './rest.ts'
import { reportOf } from './report.ts'
import { tidyLater } from './tidy.ts'

export const version = packageFile.version

const usualPort = 1880
const usualIntervalMs = 60_000
/** After a change the platform learns of it at once. */
const soonMs = 1_000
/** A part more or less, so that devices that lost power together do not call together. */
const jitter = 0.1
/** Number of times a target may end the agent, by a power cut or a kill, before it is given up. */
const begunMost = 5
/** Maximum wait for requests that flows have to answer, when the agent makes way for another version. */
const drainMs = 5_000

/**
 * Runs a device until `signal` is aborted: its flows first, from disk, then the platform. Where the agent makes way for
 * another version of itself, it returns too, and its flows run on.
 * @throws AgentError port_in_use and others that a person has to mend.
 */
export async function runAgent(
  config: DeviceFile,
  { dir, log, signal, launch }: { dir: string; log: Log; signal: AbortSignal; launch: Launch },
) {
  const { port = usualPort, credentialSecret, proxy, ca, interval } = config
  const usualMs = interval === undefined ? usualIntervalMs : interval * 1_000
  const send = createSend({ proxy, ca })
  const store = openState(dir)
  const wishes = openWishes(dir)
  const updates = openUpdates(dir)
  const fetchPackage = createFetchPackage({ proxy, ca })
  const updater = createUpdater({ launch, updates, fetchPackage, log, forgeURL: config.forgeURL, version })
  let isLeaving = false
  const memory = createMemory({ wishes, log, inFile: config.memory })
  const link = createPlatformLink(send, config)
  const audit = createAuditQueue({ dir, link, log })
  const platform = await startLocalPlatform({
    store,
    wishes,
    forgeURL: config.forgeURL,
    deviceId: config.deviceId,
    link: linkOf(config),
    instances: instanceList(dir, link),
    audit,
  })
  const runtime = createRuntime({ dir, store, log, platform, credentialSecret, memory, audit })
  const deployed: { current?: () => string | undefined } = {}
  const isEditorOpen = localEditor({ store, wishes })
  const serving = () => {
    const id = deployed.current?.()
    const at = id === undefined ? undefined : runtime.driver.endpoint(id)
    return id === undefined || !at ? undefined : { id, at }
  }
  const front = await openFront(port, serving, isEditorOpen)
  await runtime
    .recover(wishes.get())
    .catch((error: Error) => log.error(`The flows could not be started: ${error.message}`))
  const history = createHistory({ dir, driver: runtime.driver, store, log })
  const deploy = createDeploy({ runtime, front, store, log, history })
  deployed.current = deploy.current
  const rest = createRest()
  const work = createWork()
  const actions = createActions({ runtime, store, wishes, front, work, log, wake: rest.wake })
  const modes = createModes({ store, wishes, log })
  const editor = createEditor({ config, runtime, wishes, front, platform, work, log })
  editor.resume()
  const broker = openBrokerLink({
    config,
    log,
    onConnect: rest.wake,
    onClose: () => stream.stop(),
    onCommand: (command) => follows(command),
  })
  const stream = createLogStream({ history, publish: async (lines) => broker?.log(lines) })
  const follows = createCommands({
    actions,
    modes,
    editor,
    stream,
    log,
    wake: rest.wake,
    reply: async (command, payload) => broker?.reply(command, payload),
  })
  // The platform learns of a crash when it happens.
  const unwatch = runtime.driver.watch(rest.wake)
  const attempts = createAttempts()
  const report = reportOf({ runtime, store, wishes, updater, memory, version })
  let trouble: string | undefined
  /** The attempt that the platform knows of. */
  let told: string | undefined

  /** Says a trouble once, not at each check-in. */
  function tell(code: string | undefined, message: string): void {
    if (code !== trouble) log[code === undefined ? 'info' : 'warn'](message)
    trouble = code
  }

  /** Over the broker where that answers, else over HTTP. */
  async function tellState(state: Awaited<ReturnType<typeof report>>): Promise<Wanted | undefined> {
    if (!broker?.isConnected()) return link.report(state)
    return broker.report(state).catch(async () => link.report(state))
  }

  async function follow(wanted: Wanted): Promise<boolean> {
    const updated = wanted.agentOrder ? await updater.follow(wanted.agentOrder) : 'same'
    isLeaving = updated === 'restart'
    if (updated !== 'same') return true
    if (memory.take(wanted)) return true
    // Another mode changes what the device shall run, so the agent asks again.
    if (modes.take(wanted)) {
      editor.stop()
      if (isEditorOpen()) editor.serveHere()
      return true
    }
    if (modes.isDeveloper()) return false
    const { refused, begun = 0, active } = store.get()
    if (wanted.snapshot === null) {
      const isThere = active?.snapshot === null && active.project === wanted.project
      if (isThere && active.settings === wanted.settings) return false
      await deploy.clear(wanted.project, wanted.settings)
      return true
    }
    if (wishes.get().suspended) return false
    const key = { snapshot: wanted.snapshot, settings: wanted.settings }
    if (!attempts.isDue(key, refused)) return false
    let attempted: Attempted = { id: randomUUID(), snapshot: wanted.snapshot, name: '' }
    let takeover: Takeover | undefined
    try {
      log.info('Downloading the target')
      const download = await downloadTarget(link, wanted, runtime.usualNodeRed)
      if (!download) return false
      const { contents, terms } = download
      attempted = contents.target
      if (begun >= begunMost)
        throw new AgentError('target_interrupted', `The agent ended ${begun} times while it installed this target`)
      await deploy.deploy(contents, terms, (now) => (takeover = now))
      return true
    } catch (error) {
      attempts.failed(key)
      const refusal = refusalOf(key, error)
      if (refusal.code === 'platform_unreachable' || refusal.code === 'platform_refused') throw error
      log.error(`The target was not taken: ${refusal.message} (${refusal.code})`)
      const faults = error instanceof FlowsRefused ? error.faults : []
      const lastDeployment = failedOf(attempted, refusal, { takeover, faults })
      store.note({ refused: refusal, candidate: undefined, begun: undefined, lastDeployment })
      return true
    }
  }

  /** One check-in. Returns whether something changed, which the platform is to learn soon. */
  async function checkIn(): Promise<boolean> {
    try {
      const { lastDeployment } = store.get()
      const wanted = await tellState(await report({ isTold: lastDeployment?.id === told }))
      told = lastDeployment?.id
      if (trouble !== undefined) tell(undefined, 'The platform answers again')
      audit.send()
      if (updater.calledHome()) return true
      if (wanted === undefined) return false
      const beats = setInterval(() => void broker?.beat(), usualMs)
      return await work.run(async () => follow(wanted)).finally(() => clearInterval(beats))
    } catch (error) {
      const { code, message } = explained(error)
      tell(code, message)
      return false
    }
  }

  log.info(`FlowForge agent ${version} on Node.js ${process.versions.node}, flows on port ${port}`)
  tidyLater()
  while (!signal.aborted) {
    const hasChanged = await checkIn()
    if (isLeaving) break
    if (hasChanged) tidyLater()
    await rest.rest(
      hasChanged ? Math.min(soonMs, usualMs) : usualMs * (1 - jitter + 2 * jitter * Math.random()),
      signal,
    )
  }
  // Its Node-RED is a process of its own, which the next agent finds.
  const runOn = isLeaving && !signal.aborted
  log.info(runOn ? 'Making way for another version; the flows run on' : 'Stopping')
  unwatch()
  editor.close()
  stream.stop()
  await broker?.close()
  const served = deploy.current()
  if (runOn && served !== undefined) await front.drained(served, drainMs)
  front.close()
  if (!runOn) await runtime.stop()
  await runtime.close()
  platform.close()
}
