import type { Config } from '../config.ts'
import { type Inside, insideOf, mib, processesMax } from '../containers/container.body.ts'
import { fromFile, outOfMemoryCode, script } from '../containers/container.script.ts'

export { outOfMemoryCode }

/** The port on which the process of a service answers; machines give it one of theirs. */
export const answerPort = 4880
/** Name of the secret's file in a container. */
const secretFile = 'flowforge-launch'
/** From the signal by which Swarm asks a process to end until it kills it. */
const graceSeconds = 5

export interface WantedService extends Inside {
  name: string
  user: { uid: number; gid: number }
  image: string
  network: string
  constraints: readonly string[]
  secret: { id: string; name: string }
  labels: Record<string, string>
}

/**
 * The swarm is asked to make this: a service of one task, which Swarm never starts a second time. What becomes of an
 * instance that has ended is decided by the platform alone.
 */
export function serviceBody(config: Config, wanted: WantedService): object {
  const { paths, memory, user, secret } = wanted
  const { command, env, mounts } = insideOf(config, wanted, paths.output)
  return {
    Name: wanted.name,
    Labels: wanted.labels,
    TaskTemplate: {
      ContainerSpec: {
        Image: wanted.image,
        Command: ['/bin/sh'],
        Args: ['-c', script(fromFile(`/run/secrets/${secretFile}`)), paths.output, ...command],
        User: `${user.uid}:${user.gid}`,
        Dir: '/',
        Env: env,
        Labels: wanted.labels,
        // Collects the programs that flows leave behind.
        Init: true,
        ReadOnly: true,
        CapabilityDrop: ['ALL'],
        StopGracePeriod: graceSeconds * 1e9,
        Mounts: [...mounts, temporary],
        Secrets: [
          {
            SecretID: secret.id,
            SecretName: secret.name,
            File: { Name: secretFile, UID: `${user.uid}`, GID: `${user.gid}`, Mode: 0o400 },
          },
        ],
      },
      Resources: {
        Limits: {
          MemoryBytes: memory * mib,
          Pids: processesMax,
          ...(config.cpus === undefined ? {} : { NanoCPUs: Math.round(config.cpus * 1e9) }),
        },
      },
      RestartPolicy: { Condition: 'none', MaxAttempts: 0 },
      Placement: { Constraints: [...wanted.constraints] },
      Networks: [{ Target: wanted.network }],
      // The output of a process past its log is in a file of its instance.
      LogDriver: { Name: 'json-file', Options: { 'max-size': '1m', 'max-file': '1' } },
    },
    Mode: { Replicated: { Replicas: 1 } },
    EndpointSpec: {
      Mode: 'dnsrr',
      // A free port of the machine that runs it: no other machine has to pass connections on.
      Ports: [{ Protocol: 'tcp', TargetPort: answerPort, PublishMode: 'host' }],
    },
  }
}

const temporary = { Type: 'tmpfs', Target: '/tmp', TmpfsOptions: { SizeBytes: 64 * mib, Mode: 0o1777 } }
