import { execFile } from 'node:child_process'
import { chmodSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import type { Capabilities } from '../../driver.ts'
import { createAccounts } from './accounts.ts'
import { always, findHierarchies } from './cgroup.mounts.ts'
import { openGroups } from './cgroup.ts'
import type { Config } from '../config.ts'
import { isolationObstacle } from './isolation.ts'
import { openQuota } from './quota.ts'
import { chooseSocketDir, makeFolders, type Paths } from '../paths.ts'
import { endOrphans } from '../process/process.ts'
import type { Account, InstanceRecord } from '../record.store.ts'
import { endLeftovers } from './leftovers.ts'
import { nodeIn } from '../stacks/stack.node.ts'

/** Processes and threads together, since the kernel counts both. Node-RED has a dozen, and so has an npm. */
const processesMax = 256
const execute = promisify(execFile)
const readable = 0o055
const isIn = (path: string, folder: string) => realpathSync(path).startsWith(`${realpathSync(folder)}/`)

/** Keeps instances apart and within their limits, as far as this machine lets us. What it does not, `gaps` says. */
export function createConfinement(config: Config) {
  const obstacle = isolationObstacle(config)
  const accounts = obstacle === undefined ? createAccounts(config) : undefined
  const { cpus } = config
  const groups = openGroups(
    config.home,
    findHierarchies('/proc/self', cpus === undefined ? always : [...always, 'cpu']),
  )
  const quota = openQuota(config.instancesDir, { mb: config.diskMb, isolated: accounts !== undefined })
  const sweep = () => void (accounts && quota.lift(accounts.sweep()))
  sweep()

  const diskGaps = () => [quota.gap() ?? []].flat()

  return {
    /** Reasons why the disk of instances is not limited, in containers too; a sentence each. */
    diskGaps,

    capabilities: {
      enforcesMemory: groups.can.memory,
      limitsProcesses: groups.can.processes || accounts !== undefined,
      endsDescendants: groups.can.kill || accounts !== undefined,
      isolatesInstances: accounts !== undefined,
      get gaps() {
        return [
          ...gapsOf(groups.can, obstacle),
          ...(cpus === undefined || groups.can.cpus ? [] : [processorsGap]),
          ...(config.wrap.length > 0 ? [] : [privilegesGap]),
          ...diskGaps(),
        ]
      },
    } satisfies Omit<Capabilities, 'outlivesPlatform'>,

    /** Owner of the files of an instance, when not the platform. */
    ownerOf: (paths: Paths): Account | undefined => accounts?.find(paths),

    /** A user for the programs that run in a folder, for as long as it exists, where instances have users of their own. */
    lend: (folder: string): Account | undefined => accounts?.lend(folder),

    /** Makes the folders of an instance, gives it what is its own, limits its disk, and lets it read its stack. @throws DriverError */
    async prepare(paths: Paths, nodeRedPath: string): Promise<{ account?: Account; socketDir: string }> {
      makeFolders(paths)
      const account = accounts?.settle(paths)
      // Its Node.js may be elsewhere, and programs of flows run it by its path. The platform's was looked at already.
      if (account)
        for (const path of [nodeRedPath, nodeIn(nodeRedPath)])
          if (isIn(path, config.stacksDir)) letRead(path, config.stacksDir)
      if (account) await quota.limit(account)
      return { ...(account && { account }), socketDir: chooseSocketDir(paths, account) }
    },

    /** The folder of an instance is going to be that of `paths`, which is there and empty. */
    reassign(account: Account | undefined, paths: Paths): void {
      if (account) accounts?.reassign(account, paths)
    },

    /** Sets the limits of a process that has not run anything of an instance yet. `memory` in MiB. */
    async confine(id: string, pid: number, memory: number): Promise<void> {
      await groups.enter(id, pid, { memory, processes: processesMax, cpus })
      // A limit for a user makes sense only where the user is one instance.
      if (!groups.can.processes && accounts)
        await execute('prlimit', [`--pid=${pid}`, `--nproc=${processesMax}`]).catch(() => {})
    },

    /** Takes back what belonged to instances that were removed. */
    release: sweep,

    /** Did the kernel end something of this instance because its memory was used up? */
    ranOutOfMemory: (id: string): boolean => groups.outOfMemory(id) > 0,

    /**
     * Ends everything that the process of a record, which is gone, has left. `wasSeen`: it was seen alive, so that
     * its number in the record is known to have been its own. `isShared`: is there another process of the instance?
     */
    async endLeftovers(
      record: InstanceRecord,
      paths: Paths,
      { wasSeen, isShared }: { wasSeen: boolean; isShared: () => boolean },
    ): Promise<void> {
      if (wasSeen) endOrphans(record)
      await groups.end(record.id)
      const account = accounts?.find(paths)
      // Where instances have users of their own, one without has never run.
      if (account || !accounts) await endLeftovers({ account, userDir: paths.userDir, isShared })
    },
  }
}

/** Folders that were made under a temporary name are their maker's alone: opens them, up to that of all stacks. */
function letRead(path: string, stacksDir: string): void {
  const above = dirname(realpathSync(stacksDir))
  for (let at = realpathSync(path); at !== above && at !== '/'; at = dirname(at)) {
    const { mode } = statSync(at)
    if ((mode & readable) !== readable) chmodSync(at, (mode & 0o777) | readable)
  }
}

export type Confinement = ReturnType<typeof createConfinement>

const processorsGap =
  'The processors that an instance may use are not limited: the platform may not make control groups here.'
const privilegesGap =
  'Flows can gain privileges from programs of this machine such as su: setpriv of util-linux is missing here.'

function gapsOf(can: { memory: boolean; processes: boolean; kill: boolean }, obstacle: string | undefined): string[] {
  const isolated = obstacle === undefined
  return [
    ...(obstacle === undefined ? [] : [obstacle]),
    ...(can.memory
      ? []
      : [
          'Memory is limited for the objects of Node-RED alone: the platform may not make control groups here, so buffers and programs that flows start are not counted.',
        ]),
    ...(can.processes || isolated
      ? []
      : ['The number of processes that flows start is not limited: the platform may not make control groups here.']),
    ...(can.kill || isolated
      ? []
      : ['A program that a flow starts outlives its instance if it leaves its session and clears its environment.']),
  ]
}
