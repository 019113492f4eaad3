import type { RouteIdOf } from '@app/contract'
import type { FastifyReply } from 'fastify'
import type { Handlers } from '../../platform/http/context.ts'
import { fail } from '../../platform/http/failure.ts'
import type { Runtime } from './runtime.service.ts'

/** Stored JSON goes out as it was stored: parsing and printing 20 MB of flows would hold up everyone. */
const asIs = (reply: FastifyReply, json: string) =>
  reply.header('content-type', 'application/json; charset=utf-8').send(json)

export function runtimeHandlers(runtime: Runtime): Handlers<RouteIdOf<'runtime'>> {
  return {
    'runtime.settings': async ({ actor }) => runtime.settings(actor.instanceId),
    'runtime.updateState': async () => ({}),
    'runtime.editor': async ({ actor }) => runtime.editor(actor.instanceId),
    async 'runtime.editors'({ actor, reply }, { body }) {
      await runtime.reportEditors(actor, body)
      await reply.code(200).send()
    },
    async 'runtime.audit'({ actor, reply }, { body }) {
      await runtime.report(actor.instanceId, actor.address, body)
      await reply.code(200).send()
    },
    async 'runtime.checkToken'({ actor, reply }, { params: { ownerType, ownerId } }) {
      // Anybody else, also somebody signed in, is not that owner.
      const isOwner = actor.kind === 'instance' && ownerType === 'project' && actor.instanceId === ownerId
      if (!isOwner) throw fail('unauthorized')
      await reply.code(200).send()
    },
    async 'runtime.flows'({ actor, reply }) {
      await asIs(reply, await runtime.load(actor.instanceId, 'flows', '[]'))
    },
    async 'runtime.saveFlows'({ actor }, { body }) {
      await runtime.save(actor.instanceId, 'flows', body)
      return body
    },
    'runtime.deploy': async ({ actor }, { body }) => runtime.deploy(actor, body),
    async 'runtime.load'({ actor, reply }, { params }) {
      await asIs(reply, await runtime.load(actor.instanceId, params.kind, '{}'))
    },
    async 'runtime.save'({ actor }, { params, body }) {
      await runtime.save(actor.instanceId, params.kind, body)
      return body
    },
  }
}
