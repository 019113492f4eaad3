import type { Audit } from '../../audit/index.ts'
import type { Catalogue } from '../../catalogue/index.ts'
import type { Kind } from '../deployments.kinds.ts'

interface Memo {
  stack?: { id: string; name: string }
  projectType?: { id: string; name: string }
}

/**
 * Another stack, of the same type or of another, under what is there.
 * @throws Failure invalid_stack, invalid_project_type from `read`.
 */
export function stackKind({
  catalogue,
  audit,
}: {
  catalogue: Catalogue
  audit: Audit
}): Kind<{ type: string; stack: string }, Memo> {
  return {
    kind: 'stack',
    title: 'Change stack',
    state: 'installing',
    async read(instance, to) {
      const { type, stack } = await catalogue.chooseStack(to, to.type === instance.type_id)
      const label = stack.label || stack.name
      return {
        brings: {
          held: {},
          ground: { type_id: type.id, stack_id: stack.id, properties: stack.properties, label },
        },
        what: type.id === instance.type_id ? label : `${type.name}, ${label}`,
        memo: {
          ...(stack.id === instance.stack_id ? {} : { stack: { id: stack.id, name: stack.name } }),
          ...(type.id === instance.type_id ? {} : { projectType: { id: type.id, name: type.name } }),
        },
      }
    },
    // It makes no version: the flows stay.
    origin: () => ({ kind: 'rollback' }),
    keeps: ({ stack, projectType }) => ({
      name: `Before change to “${[projectType?.name, stack?.name].filter(Boolean).join(', ')}”`,
      description: 'What the instance held, kept by the platform. A rollback to it leaves the stack as it is.',
    }),
    async record(tx, { actor, memo: { stack, projectType }, auditScope, project, error }) {
      if (projectType)
        await audit.record(tx, actor, 'project.type.changed', auditScope, { project, projectType, ...error })
      if (stack) await audit.record(tx, actor, 'project.stack.changed', auditScope, { project, stack, ...error })
    },
  }
}
