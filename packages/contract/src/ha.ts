import * as z from 'zod/mini'
import { Ha } from './instances.ts'
import { InstanceParams } from './primitives.ts'
import { may, route } from './route.ts'
import { behind } from './switches.ts'

/** High availability of an instance: several processes of it that serve together. */
export const haRoutes = behind('ha', {
  'ha.get': route({
    method: 'GET',
    path: '/api/v1/projects/:instanceId/ha',
    summary: 'Number of processes of an instance; {} without high availability',
    access: may('project:read', 'instance'),
    params: InstanceParams,
    reply: z.partial(Ha),
    errors: [],
  }),
  'ha.enable': route({
    method: 'PUT',
    path: '/api/v1/projects/:instanceId/ha',
    summary: 'Turn high availability on. Restarts the instance unless it is suspended, and disables its editor',
    access: may('project:edit', 'instance'),
    params: InstanceParams,
    body: Ha,
    reply: Ha,
    errors: ['invalid_ha_configuration', 'invalid_state'],
    audit: 'project.ha.updated',
    example: { body: { replicas: 2 }, reply: { replicas: 2 } },
  }),
  'ha.disable': route({
    method: 'DELETE',
    path: '/api/v1/projects/:instanceId/ha',
    summary: 'Turn high availability off. Restarts the instance unless it is suspended, and enables its editor',
    access: may('project:edit', 'instance'),
    params: InstanceParams,
    reply: z.object({}),
    errors: ['invalid_state'],
    audit: 'project.ha.updated',
  }),
})
