import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { ConformanceHarness } from '../../conformance.ts'
import { openLocal, readRecord, runtimeEntry, stacksDir } from '../local.harness.ts'
import { openRelay, outerAddress } from '../relay.ts'

/** The cluster of these tests, by the environment. @throws Error naming what is missing. */
function clusterOf() {
  const {
    FORGE_TEST_KUBECONFIG: kubeconfig,
    FORGE_TEST_KUBERNETES_HOME: root,
    FORGE_TEST_KUBERNETES_NAMESPACE: namespace = 'flowforge',
    FORGE_TEST_KUBERNETES_CLAIM: claim = 'flowforge',
    FORGE_TEST_KUBERNETES_IMAGE: image = 'node:24-bookworm-slim',
    FORGE_TEST_KUBERNETES_HOST: host = outerAddress(),
  } = process.env
  if (!kubeconfig || !root) throw new Error('FORGE_TEST_KUBECONFIG and FORGE_TEST_KUBERNETES_HOME have to be set')
  return { kubeconfig, root, namespace, claim, image, host }
}

/** Puts Node.js, the versions of Node-RED and the program of instances on the storage that all pods share. */
function prepare(root: string): { runtime: string; stacks: string } {
  const folder = join(root, 'forge-test-program')
  const [runtime, stacks, node] = [join(folder, 'runtime'), join(folder, 'stacks'), join(folder, 'node')]
  mkdirSync(stacks, { recursive: true })
  if (!existsSync(node)) copyFileSync(process.execPath, node)
  cpSync(join(runtimeEntry, '../..'), runtime, { recursive: true })
  for (const name of readdirSync(stacksDir).filter((one) => !existsSync(join(stacks, one)))) {
    cpSync(join(stacksDir, name), join(stacks, name), { recursive: true })
    if (/^\d/.test(name)) symlinkSync(node, join(stacks, name, 'node'))
  }
  return { runtime: join(runtime, 'dist/main.js'), stacks }
}

/** A driver with pods of a real cluster over one temporary home on its storage, with a platform for their instances. */
export async function openCluster() {
  const { kubeconfig, root, namespace, claim, image, host } = clusterOf()
  const { runtime, stacks } = prepare(root)
  const relay = await openRelay()
  const local = await openLocal(
    (platformUrl) => {
      relay.leadTo(platformUrl)
      return {
        runtimeEntry: runtime,
        stacksDir: stacks,
        drivers: ['kubernetes', 'local'],
        kubernetes: {
          kubeconfig,
          namespace,
          image,
          claim,
          claimRoot: root,
          platformUrl: `http://${host}:${relay.port}`,
          nodeSelector: {},
          tolerations: [],
          pullSecrets: [],
          requests: { cpu: 0.05, memory: 0.5 },
          waitSeconds: 240,
        },
      }
    },
    undefined,
    root,
  )
  const { home } = local
  const kubectl = (...args: string[]) =>
    execFileSync('kubectl', ['--kubeconfig', kubeconfig, '--namespace', namespace, ...args], {
      encoding: 'utf8',
      stdio: 'pipe',
    })
  const podOf = async (key: string) => (await readRecord(home, key)).pod as string
  /** The command lines of all programs in a pod; none where there is no such pod any more. */
  const programsIn = (pod: string): string[] => {
    try {
      const all = 'for one in /proc/[0-9]*/cmdline; do tr "\\0" " " <"$one" 2>/dev/null; echo; done'
      return kubectl('exec', pod, '--', 'sh', '-c', all).split('\n')
    } catch {
      return []
    }
  }
  return {
    ...local,
    reopen: () => local.open(),
    async crash(key: string) {
      // All but the first process of the container, which ends with the one that it waits for.
      kubectl('exec', await podOf(key), '--', 'sh', '-c', 'kill -KILL -1')
    },
    async presence(id: string) {
      const pod = await podOf(id)
      return () => programsIn(pod).length > 0
    },
    programs: (start: string) =>
      kubectl('get', 'pods', '--output', 'name')
        .split('\n')
        .filter(Boolean)
        .flatMap(programsIn)
        .filter((line) => line.startsWith(start)).length,
    logBytes(id: string) {
      const folder = join(home, 'instances', id, 'logs')
      return readdirSync(folder).reduce((sum, name) => sum + readFileSync(join(folder, name)).length, 0)
    },
    async close() {
      await local.close()
      relay.close()
    },
  } satisfies ConformanceHarness & Record<string, unknown>
}
