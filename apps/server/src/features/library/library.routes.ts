import type { RouteIdOf } from '@app/contract'
import type { FastifyReply } from 'fastify'
import type { Handlers } from '../../platform/http/context.ts'
import type { Found, Library } from './library.service.ts'

/** Entries are answered as they were stored: flows as JSON, functions as text. */
async function answer(reply: FastifyReply, found: Found): Promise<void> {
  const type = found.kind === 'text' ? 'text/plain' : 'application/json'
  const body = found.kind === 'folder' ? JSON.stringify(found.folder) : found.body
  await reply.header('content-type', `${type}; charset=utf-8`).send(body)
}

/** The library of a team, which is not there while the feature is off. */
export function libraryHandlers(library: Library): Handlers<RouteIdOf<'library'>> {
  return {
    async 'library.get'({ team, reply }, { params, query }) {
      await answer(reply, await library.get({ team: team.id }, params['*'], query.type))
    },
    async 'library.save'({ team, reply }, { params, body }) {
      await library.save({ team: team.id }, params['*'], body)
      await reply.code(201).send()
    },
    async 'library.delete'({ actor, team }, { params, query }) {
      return { status: 'okay', deleteCount: await library.remove(actor, team.id, params['*'], query.type) }
    },
  }
}

/** The library that an instance keeps for itself. */
export function instanceLibraryHandlers(library: Library): Handlers<RouteIdOf<'instanceLibrary'>> {
  return {
    async 'instanceLibrary.get'({ actor, reply }, { params, query }) {
      const shelf = { team: actor.teamId, instance: actor.instanceId }
      await answer(reply, await library.get(shelf, query.name ?? '', params.type))
    },
    async 'instanceLibrary.save'({ actor, reply }, { params, body }) {
      const shelf = { team: actor.teamId, instance: actor.instanceId }
      await library.save(shelf, body.name, { type: params.type, meta: body.meta, body: body.body })
      await reply.code(201).send()
    },
  }
}
