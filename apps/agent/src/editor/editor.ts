import { request } from 'node:http'
import type { DeviceFile } from '../agent.config.ts'
import type { Log } from '../agent.log.ts'
import type { WishStore } from '../control/wishes.store.ts'
import type { Work } from '../control/work.ts'
import type { Front } from '../nodered/front.ts'
import type { LocalPlatform } from '../nodered/local.platform.ts'
import type { Runtime } from '../nodered/runtime.ts'
import { editorRoot } from './tunnel.channel.ts'
import { openTunnel, type TunnelClient } from './tunnel.client.ts'

interface EditorDependencies {
  config: DeviceFile
  runtime: Runtime
  wishes: WishStore
  front: Front
  platform: LocalPlatform
  work: Work
  log: Log
}

/** The platform waits for five seconds. */
const openMs = 4_000

export type Editor = ReturnType<typeof createEditor>

/** The editor of this device: Node-RED with its editor on, and the tunnel to it. */
export function createEditor({ config, runtime, wishes, front, platform, work, log }: EditorDependencies) {
  let tunnel: TunnelClient | undefined

  async function isServed(): Promise<boolean> {
    const at = await front.reach()
    if (!at) return false
    return new Promise((resolve) => {
      const call = request({ ...at, path: `${editorRoot}auth/login`, agent: false }, (answer) => {
        answer.resume()
        resolve(answer.statusCode === 200)
      })
      call.on('error', () => resolve(false)).end()
    })
  }

  /** Node-RED that runs without its editor is started anew; requests wait meanwhile. */
  async function serve(): Promise<void> {
    if (await isServed()) return
    log.info('Restarting Node-RED with its editor')
    front.hold()
    try {
      await runtime.restart({ staysSafe: true })
    } finally {
      front.open()
    }
  }

  function connect(token: string): TunnelClient {
    tunnel?.close()
    const now = openTunnel({
      config,
      token,
      log,
      localToken: platform.token,
      reach: front.reach,
      onOff() {
        if (tunnel === now) tunnel = undefined
        if (wishes.get().editor === token) wishes.change({ editor: undefined })
        log.info('Editor access is off')
      },
    })
    tunnel = now
    work.run(serve).catch((error: Error) => log.error(`Node-RED did not start with its editor: ${error.message}`))
    return now
  }

  return {
    /** Opens the tunnel that the platform asks for. The answer is as existing agents give it. */
    async start(token: unknown): Promise<{ connected: boolean; token?: string; error?: string }> {
      if (typeof token !== 'string') return { connected: false, error: 'There is no token.' }
      if (wishes.get().mode !== 'developer') return { connected: false, token, error: 'Developer mode is off.' }
      if (!(await runtime.isAnswering())) return { connected: false, token, error: 'noNRRunning' }
      // From now on the flows may be others than those of the target.
      wishes.change({ editor: token, isEdited: true })
      log.info('Editor access is on')
      return { connected: await connect(token).isOpen(openMs), token }
    },
    /** Has Node-RED serve its editor, which is open on this machine itself. */
    serveHere(): void {
      work
        .run(async () => ((await runtime.isAnswering()) ? serve() : undefined))
        .catch((error: Error) => log.error(`Node-RED did not start with its editor: ${error.message}`))
    },
    stop(): void {
      tunnel?.close()
      tunnel = undefined
      if (wishes.get().editor !== undefined) wishes.change({ editor: undefined })
    },
    /** Opens the tunnel again after a restart of this agent. */
    resume(): void {
      const { editor, mode } = wishes.get()
      if (editor !== undefined && mode === 'developer') connect(editor)
    },
    /** The agent ends. */
    close: (): void => tunnel?.close(),
  }
}
