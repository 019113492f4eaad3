import { defineFeature } from '../../platform/features/feature.ts'
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
  routes: ({ logs, nodes }) => logHandlers(logs, nodes),
})
