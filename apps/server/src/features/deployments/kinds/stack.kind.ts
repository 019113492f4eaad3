import * as z from 'zod/mini'
import type { Audit } from '../../audit/index.ts'
import type { Catalogue } from '../../catalogue/index.ts'
import type { Quotas } from '../../team-types/index.ts'
import { type Kind, Named } from '../deployments.kinds.ts'

const Memo = z.object({ stack: z.exactOptional(Named), projectType: z.exactOptional(Named) })
type Memo = z.infer<typeof Memo>

/**
 * Another stack, of the same type or of another, under what is there.
 * @throws Failure invalid_stack, invalid_project_type from `read`; instance_limit_reached from its guard.
 */
export function stackKind({
  catalogue,
  audit,
  quotas,
}: {
  catalogue: Catalogue
  audit: Audit
  quotas: Pick<Quotas, 'changeInstanceType'>
}): Kind<{ type: string; stack: string }, Memo> {
  return {
    kind: 'stack',
    title: 'Change stack',
    state: 'installing',
    memo: Memo,
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
        guard: async (tx) => {
          if (type.id !== instance.type_id) await quotas.changeInstanceType(tx, instance.team_id, type.id)
        },
      }
    },
    // It makes no version: the flows stay.
    origin: () => ({ kind: 'rollback' }),
    keeps: ({ stack, projectType }) => ({
      name: `Before change to “${[projectType?.name, stack?.name].filter(Boolean).join(', ')}”`,
      description: 'Contents before the change of the stack. A rollback to it leaves the stack as it is.',
    }),
    async record(tx, { actor, memo: { stack, projectType }, auditScope, project, error }) {
      if (projectType)
        await audit.record(tx, actor, 'project.type.changed', auditScope, { project, projectType, ...error })
      if (stack) await audit.record(tx, actor, 'project.stack.changed', auditScope, { project, stack, ...error })
    },
  }
}
