import type { RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import type { Catalogue } from './catalogue.service.ts'

export function catalogueHandlers(catalogue: Catalogue): Handlers<RouteIdOf<'instanceType' | 'stack' | 'template'>> {
  return {
    async 'instanceType.list'(_context, { query }) {
      const types = await catalogue.instanceTypes(query.filter)
      return { meta: {}, count: types.length, types }
    },
    'instanceType.get': async (_context, { params }) => catalogue.instanceType(params.instanceTypeId),
    'stack.list': async (_context, { query }) => catalogue.stacks(query),
    'stack.get': async (_context, { params }) => catalogue.stack(params.stackId),
    'template.list': async (_context, { query }) => catalogue.templates(query),
    'template.get': async (_context, { params }) => catalogue.template(params.templateId),
  }
}
