import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import type { Paths } from '../paths.ts'
import { environment, limits } from '../process/spawn.ts'
import { nodeIn } from '../stacks/stack.node.ts'

const mib = 1024 * 1024
/** Processes and threads together, as for instances that are processes of this machine. */
const processesMax = 256
const temporary = 'rw,exec,nosuid,nodev,size=64m,mode=1777'
const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
/** Paths of this machine, and what is no use in a container. */
const left = ['PATH', 'TMPDIR', 'NODE_COMPILE_CACHE']
/** Variables with the path of a file that is put into the container too. */
const files = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE']
/** The specification comes over standard input, and the runtime reads it where it does everywhere. */
const script = 'exec 3<&0 </dev/null && exec "$@"'

export interface Wanted {
  key: string
  paths: Paths
  socketDir: string
  nodeRedPath: string
  filesDir: string | undefined
  training: string | undefined
  /** The stack's, in MiB. */
  memory: number
  user: { uid: number; gid: number }
  image: string
  network: string
  hosts: string[]
  labels: Record<string, string>
}

/**
 * The engine is asked to make this: a container of one instance's process, which can write in its own folders alone.
 * All paths are those of this machine, so that nobody has to translate them.
 */
export function containerBody(config: Config, wanted: Wanted): object {
  const { key, paths, socketDir, nodeRedPath, filesDir, training, memory, user } = wanted
  const node = nodeIn(nodeRedPath)
  const given = Object.entries(environment(config, node)).filter(
    ([name, value]) => value !== undefined && !left.includes(name) && (!files.includes(name) || existsSync(value)),
  ) as [string, string][]
  const writable = [paths.userDir, paths.logDir, socketDir, ...(filesDir === undefined ? [] : [filesDir])]
  const readable = [
    nodeRedPath,
    node,
    dirname(dirname(config.runtimeEntry)),
    ...(config.shipped === undefined ? [] : [join(config.shipped, 'node_modules')]),
    ...given.flatMap(([name, value]) => (files.includes(name) ? [value] : [])),
  ]
  return {
    Image: wanted.image,
    Entrypoint: ['/bin/sh'],
    Cmd: [
      '-c',
      script,
      'instance',
      node,
      ...limits(memory),
      config.runtimeEntry,
      key,
      ...(training === undefined ? [] : [training]),
    ],
    User: `${user.uid}:${user.gid}`,
    WorkingDir: '/',
    Env: [`PATH=${dirname(node)}:${path}`, ...given.map(([name, value]) => `${name}=${value}`)],
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
      Tmpfs: { '/tmp': temporary },
      NetworkMode: wanted.network,
      ExtraHosts: wanted.hosts,
      Mounts: [...mounts([...new Set(writable)], false), ...mounts([...new Set(readable)], true)],
      // The engine keeps what a process prints past its log.
      LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '1' } },
      RestartPolicy: { Name: 'no' },
    },
  }
}

const mounts = (paths: string[], isReadOnly: boolean) =>
  paths.map((one) => ({ Type: 'bind', Source: one, Target: one, ReadOnly: isReadOnly }))
