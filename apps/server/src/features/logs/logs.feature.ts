import { defineFeature, type Run } from '../../platform/features/feature.ts'
import type { Services } from '../../platform/features/services.ts'
import { createNodes, type Nodes } from './logs.nodes.ts'
import { logHandlers } from './logs.routes.ts'
import { createLogs, type Logs } from './logs.service.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    logs: Logs
    nodes: Nodes
  }
}

export const logsFeature = defineFeature({
  name: 'logs',
  provides: { logs: createLogs, nodes: createNodes },
  runs: { nodes: followErrors },
  routes: ({ logs, nodes }) => logHandlers(logs, nodes),
})

/** On the server that runs the instances. */
function followErrors({ nodes }: Pick<Services, 'nodes'>): Run {
  let stop: (() => void) | undefined
  return {
    start(isHost) {
      if (isHost) stop = nodes.follow()
    },
    stop: () => stop?.(),
  }
}
