import type { AgentOrder, AgentUpdate, AgentUpdater } from '@app/contract/device-agent'
import { AgentError, explained } from '../agent.errors.ts'
import type { Log } from '../agent.log.ts'
import type { FetchPackage } from '../link/package.fetch.ts'
import type { UpdateStore } from './update.store.ts'
import { openVersions } from './versions.ts'

/** Number of times an update may end the agent, by a power cut or a kill, before it is given up. */
const begunMost = 5

/** Start of this process: by the launcher of the service, which starts it again when it ends, or otherwise. */
export interface Launch {
  /** The folder of the installer; undefined without the launcher. */
  prefix?: string | undefined
  /** This start is the one that a new version has to call home. */
  isTrial: boolean
  isImage: boolean
}

/** Reads and removes what the launcher says, which is not for Node-RED. */
export function takeLaunch(env: NodeJS.ProcessEnv): Launch {
  const { FLOWFORGE_AGENT_PREFIX: prefix, FLOWFORGE_AGENT_TRIAL: trial, FLOWFORGE_AGENT_IMAGE: image } = env
  for (const name of ['PREFIX', 'TRIAL', 'IMAGE']) delete env[`FLOWFORGE_AGENT_${name}`]
  return { prefix, isTrial: trial !== undefined, isImage: image !== undefined }
}

export interface UpdaterOptions {
  launch: Launch
  updates: UpdateStore
  fetchPackage: FetchPackage
  log: Log
  /** Address of the platform. */
  forgeURL: string
  /** The version of this program. */
  version: string
}

export type Updater = ReturnType<typeof createUpdater>

/**
 * Makes the agent another version when people order it. The new one is unpacked beside the others and started once. It
 * becomes the one that is started from then on when the platform has answered it; otherwise the one before is started.
 */
export function createUpdater({ launch, updates, fetchPackage, log, forgeURL, version }: UpdaterOptions) {
  const versions = launch.prefix === undefined ? undefined : openVersions(launch.prefix)
  const how: AgentUpdater = versions ? 'self' : launch.isImage ? 'image' : 'installer'
  let isTrial = versions !== undefined && launch.isTrial
  /** The version before had this process started for a trial, or nobody did. */
  if (versions && !isTrial && versions.trying() !== undefined) takeBack()

  /** The new version ended, or was ended, before it had called home. */
  function takeBack(): void {
    const known = updates.get()
    if (known?.state === 'begun') {
      const message = `Version ${known.version} ended, or did not reach the platform in time. Version ${version} runs again. The log of the device has the reason.`
      log.error(`The agent was not updated: ${message}`)
      updates.note({ ...known, state: 'failed', code: 'update_not_home', message })
    }
    versions!.drop()
    tidy(versions!.current())
  }

  function tidy(...keep: (string | undefined)[]): void {
    try {
      versions!.tidy(keep)
    } catch (error) {
      log.warn(`Old versions of the agent were not removed: ${explained(error).message}`)
    }
  }

  function done(order: AgentOrder): void {
    updates.note({ ...order, begun: 0, state: 'done' })
    log.info(`The agent was updated to ${order.version}`)
  }

  return {
    /** Update method of this agent. */
    how,

    /** Result of the last order; undefined: there was none, or it is under way. */
    last(): AgentUpdate | undefined {
      const known = updates.get()
      if (known === undefined || known.state === 'begun') return undefined
      const { id, version: to, state, code, message } = known
      return {
        id,
        version: to,
        state,
        ...(code === undefined ? {} : { code }),
        ...(message === undefined ? {} : { message }),
      }
    },

    /** The platform has answered this agent. Returns whether that is news for the platform. */
    calledHome(): boolean {
      if (!versions || !isTrial) return false
      isTrial = false
      const former = versions.current()
      try {
        versions.commit()
      } catch (error) {
        // The installer was run meanwhile, and has decided which version is started.
        log.warn(`The trial of this version was ended: ${explained(error).message}`)
        return false
      }
      const known = updates.get()
      if (known?.state === 'begun') done(known)
      tidy(former, versions.current())
      return true
    },

    /**
     * Does what the platform orders. `restart`: the agent is to end, so that the new version is started; `changed`: the
     * platform is to learn how it ended.
     */
    async follow(order: AgentOrder): Promise<'same' | 'changed' | 'restart'> {
      const known = updates.get()
      const isKnown = known?.id === order.id
      if (isKnown && known.state !== 'begun') return 'same'
      const begun = isKnown ? known.begun + 1 : 1
      try {
        if (!versions)
          throw new AgentError('update_unavailable', 'This agent does not run as a service of the installer.')
        if (versions.current() === order.sha256) {
          done(order)
          return 'changed'
        }
        if (begun > begunMost)
          throw new AgentError('update_interrupted', `The agent ended ${begunMost} times while it was updated`)
        updates.put({ ...order, state: 'begun', begun })
        log.info(`Downloading version ${order.version} of the agent`)
        await versions.install(order.sha256, `${forgeURL}/agent/flowforge-agent.tgz`, fetchPackage, (step) =>
          log.info(`${step} version ${order.version} of the agent`),
        )
        log.info(`Ending to start version ${order.version} of the agent`)
        versions.tryNext(order.sha256)
        return 'restart'
      } catch (error) {
        const { code, message } = explained(error)
        log.error(`The agent was not updated: ${message} (${code})`)
        updates.note({ ...order, begun, state: 'failed', code, message })
        return 'changed'
      }
    },
  }
}
