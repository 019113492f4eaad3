import { okay, type RouteIdOf } from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Handlers } from '../../platform/http/context.ts'
import type { Catalogue } from './catalogue.service.ts'

/** Use counts are for administrators only. */
const isAdmin = (actor: Actor) => actor.kind === 'user' && actor.admin

export function catalogueHandlers(catalogue: Catalogue): Handlers<RouteIdOf<'instanceType' | 'stack' | 'template'>> {
  const { types, stackEdits, templateEdits } = catalogue
  return {
    'instanceType.list': async ({ actor }, { query }) => catalogue.instanceTypes(query, isAdmin(actor)),
    'instanceType.get': async ({ actor }, { params }) => catalogue.instanceType(params.instanceTypeId, isAdmin(actor)),
    'instanceType.create': async ({ actor }, { body }) => catalogue.instanceType(await types.create(actor, body), true),
    async 'instanceType.update'({ actor }, { params, body }) {
      await types.update(actor, params.instanceTypeId, body)
      return catalogue.instanceType(params.instanceTypeId, true)
    },
    async 'instanceType.delete'({ actor }, { params }) {
      await types.remove(actor, params.instanceTypeId)
      return okay
    },

    'stack.list': async ({ actor }, { query }) => catalogue.stacks(query, isAdmin(actor)),
    'stack.get': async ({ actor }, { params }) => catalogue.stack(params.stackId, isAdmin(actor)),
    'stack.create': async ({ actor }, { body }) => catalogue.stack(await stackEdits.create(actor, body), true),
    async 'stack.update'({ actor }, { params, body }) {
      await stackEdits.update(actor, params.stackId, body)
      return catalogue.stack(params.stackId, true)
    },
    async 'stack.delete'({ actor }, { params }) {
      await stackEdits.remove(actor, params.stackId)
      return okay
    },
    async 'stack.prepare'(_context, { params }) {
      await stackEdits.prepare(params.stackId)
      return catalogue.stack(params.stackId, true)
    },
    'stack.jobs': async (_context, { params }) => stackEdits.jobs(params.stackId),

    'template.list': async ({ actor }, { query }) => catalogue.templates(query, isAdmin(actor)),
    'template.get': async ({ actor }, { params }) => catalogue.template(params.templateId, isAdmin(actor)),
    'template.create': async ({ actor }, { body }) =>
      catalogue.templateSummary(await templateEdits.create(actor, body)),
    async 'template.update'({ actor }, { params, body }) {
      await templateEdits.update(actor, params.templateId, body)
      return catalogue.templateSummary(params.templateId)
    },
    async 'template.delete'({ actor }, { params }) {
      await templateEdits.remove(actor, params.templateId)
      return okay
    },
  }
}
