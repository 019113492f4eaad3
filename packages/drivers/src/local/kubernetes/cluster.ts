import type { CoreV1Api, KubeConfig, PolicyV1Api, RequestContext } from '@kubernetes/client-node'
import { DriverError } from '../../driver.ts'
import { explain } from './cluster.errors.ts'

/** Time for an answer. Watches have none. */
const answerMs = 15_000

export interface ClusterOptions {
  /** File with the address of the cluster and how to sign in there; absent: those of the pod in which this process runs. */
  kubeconfig?: string | undefined
  namespace: string
}

/** The official client, connected to one cluster. */
export interface Client {
  library: typeof import('@kubernetes/client-node')
  config: KubeConfig
  /** Address of the API server. */
  server: string
  core: CoreV1Api
  policy: PolicyV1Api
}

/**
 * The cluster in whose namespace instances run. The client is loaded with the first call: it is large, and a platform
 * without a cluster does not need it.
 */
export function openCluster({ kubeconfig, namespace }: ClusterOptions) {
  let opened: Promise<Client> | undefined
  const client = (): Promise<Client> =>
    (opened ??= connect(kubeconfig).catch((error: unknown) => {
      // A file that is put right is read again.
      opened = undefined
      throw error
    }))

  return {
    namespace,
    client,
    /** Makes a call. @throws DriverError with a sentence; its cause is the error of the client. */
    async ask<T>(call: (client: Client) => Promise<T>): Promise<T> {
      const connected = await client()
      return call(connected).catch((error: unknown) => {
        throw explain(error, connected.server)
      })
    },
  }
}

export type Cluster = ReturnType<typeof openCluster>

async function connect(kubeconfig: string | undefined): Promise<Client> {
  const library = await import('@kubernetes/client-node')
  const config = new library.KubeConfig()
  if (kubeconfig !== undefined) load(config, kubeconfig)
  else if (process.env.KUBERNETES_SERVICE_HOST) config.loadFromCluster()
  else
    throw new DriverError(
      'no_cluster',
      'There is no cluster: the server does not run in a pod, and FORGE_KUBERNETES_CONFIG names no file',
    )
  const server = config.getCurrentCluster()?.server
  if (server === undefined)
    throw new DriverError('no_cluster', `The file ${kubeconfig} names no current context with a cluster`)
  return { library, config, server, ...apisOf(library, config) }
}

function load(config: KubeConfig, path: string): void {
  try {
    config.loadFromFile(path)
  } catch (error) {
    throw new DriverError('no_cluster', `The file ${path} cannot be read: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

/** The client has no limit of its own for an answer. */
function apisOf(library: Client['library'], config: KubeConfig): Pick<Client, 'core' | 'policy'> {
  const { createConfiguration, ServerConfiguration, CoreV1Api: Core, PolicyV1Api: Policy } = library
  const settings = createConfiguration({
    baseServer: new ServerConfiguration(config.getCurrentCluster()!.server, {}),
    authMethods: { default: config },
    promiseMiddleware: [
      {
        async pre(request: RequestContext) {
          request.setSignal(AbortSignal.timeout(answerMs))
          return request
        },
        post: async (response) => response,
      },
    ],
  })
  return { core: new Core(settings), policy: new Policy(settings) }
}
