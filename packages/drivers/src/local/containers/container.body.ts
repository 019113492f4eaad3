import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import type { Paths } from '../paths.ts'
import { environment, limits } from '../process/spawn.ts'
import { nodeIn } from '../stacks/stack.node.ts'
import { compiledFor } from './compiled.ts'
import { fromInput, script } from './container.script.ts'

export const mib = 1024 * 1024
/** Processes and threads together, as for instances that are processes of this machine. */
export const processesMax = 256
const temporary = 'rw,exec,nosuid,nodev,size=64m,mode=1777'
const linkRoom = 'rw,noexec,nosuid,nodev,size=64k,mode=1777'
const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
/** Paths of this machine, and what is no use in a container. */
const left = ['PATH', 'TMPDIR', 'NODE_COMPILE_CACHE']
/** Variables with the path of a file that is put into the container too. */
const files = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE']

/** The process that is to run in a container. */
export interface Inside {
  key: string
  paths: Paths
  nodeRedPath: string
  filesDir: string | undefined
  training: string | undefined
  /** The stack's, in MiB. */
  memory: number
}

export interface Wanted extends Inside {
  socketDir: string
  user: { uid: number; gid: number }
  image: string
  network: string
  hosts: string[]
  labels: Record<string, string>
  /** It is made before its instance is known. */
  waits: boolean
  /** The engine does not tell that memory was used up, so the container asks the kernel. */
  asksForMemory: boolean
}

/**
 * The command of a process, its environment, and the paths that it finds in its container. All are those of the machine of
 * the server, so that nobody has to translate them. `own`: further paths that it writes to.
 */
export function insideOf(config: Config, { key, paths, nodeRedPath, filesDir, training, memory }: Inside, own: string) {
  const node = nodeIn(nodeRedPath)
  const given = Object.entries(environment(config, node)).filter(
    ([name, value]) => value !== undefined && !left.includes(name) && (!files.includes(name) || existsSync(value)),
  ) as [string, string][]
  const writable = [paths.userDir, paths.logDir, own, ...(filesDir === undefined ? [] : [filesDir])]
  const readable = [
    nodeRedPath,
    node,
    dirname(dirname(config.runtimeEntry)),
    ...(config.shipped === undefined ? [] : [join(config.shipped, 'node_modules')]),
    ...given.flatMap(([name, value]) => (files.includes(name) ? [value] : [])),
  ]
  return {
    command: [node, ...limits(memory), config.runtimeEntry, key, ...(training === undefined ? [] : [training])],
    env: [`PATH=${dirname(node)}:${path}`, ...given.map(([name, value]) => `${name}=${value}`)],
    mounts: [...mounts([...new Set(writable)], false), ...mounts([...new Set(readable)], true)],
  }
}

/**
 * The engine is asked to make this: a container of one instance's process, which can write in its own folders alone. One
 * that waits has room for a link beside these, by which they will have the name of its instance inside too.
 */
export function containerBody(config: Config, wanted: Wanted): object {
  const { memory, user, socketDir, waits } = wanted
  const { command, env, mounts } = insideOf(config, wanted, socketDir)
  const compiled = compiledFor(config, wanted.nodeRedPath, user)
  return {
    Image: wanted.image,
    Entrypoint: ['/bin/sh'],
    Cmd: [
      '-c',
      wanted.asksForMemory ? script(fromInput) : `${fromInput} && exec "$@"`,
      'instance',
      ...command,
      ...(waits ? [readyFileOf(socketDir)] : []),
    ],
    User: `${user.uid}:${user.gid}`,
    WorkingDir: '/',
    Env: [...env, ...compiled.env],
    Labels: wanted.labels,
    AttachStdin: true,
    OpenStdin: true,
    StdinOnce: true,
    HostConfig: {
      // Collects the programs that flows leave behind.
      Init: true,
      Memory: memory * mib,
      MemorySwap: memory * mib,
      PidsLimit: processesMax,
      ...(config.cpus === undefined ? {} : { NanoCpus: Math.round(config.cpus * 1e9) }),
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      ReadonlyRootfs: true,
      Tmpfs: { '/tmp': temporary, ...(waits ? { [config.instancesDir]: linkRoom } : {}) },
      NetworkMode: wanted.network,
      ExtraHosts: wanted.hosts,
      Mounts: [...mounts, ...compiled.mounts],
      // The engine keeps what a process prints past its log.
      LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '1' } },
      RestartPolicy: { Name: 'no' },
    },
  }
}

/** A container that waits makes this file when everything is loaded. */
export const readyFileOf = (socketDir: string) => join(socketDir, 'ready')

const mounts = (paths: string[], isReadOnly: boolean) =>
  paths.map((one) => ({ Type: 'bind', Source: one, Target: one, ReadOnly: isReadOnly }))
