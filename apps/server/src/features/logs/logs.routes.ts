import type { Handlers } from '../../platform/http/context.ts'
import type { Nodes } from './logs.nodes.ts'
import type { Logs } from './logs.service.ts'

export type LogRoute = 'instance.logs' | 'instance.node' | 'instance.errors' | 'instance.downloadLog'

export function logHandlers(logs: Logs, nodes: Nodes): Handlers<LogRoute> {
  return {
    'instance.logs': async ({ instance }, { query }) => logs.page(instance, query),
    'instance.node': async ({ instance }, { params }) => nodes.find(instance.id, params.nodeId),
    'instance.errors': async ({ instance }) => nodes.errors(instance.id),
    async 'instance.downloadLog'({ instance, reply }, { query }) {
      const file = await logs.file(instance, query)
      void reply
        .headers({ 'content-disposition': `attachment; filename="${file.name}"`, 'cache-control': 'no-store' })
        .type(file.type)
        .send(file.content)
    },
  }
}
