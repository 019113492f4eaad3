import { confirm } from '../../ui/confirm.ts'

const nouns = {
  template: { title: 'Delete Template', what: 'a template', sure: 'this template' },
  type: { title: 'Delete Instance Type', what: 'an instance type', sure: 'this instance type' },
  stack: { title: 'Delete Stack', what: 'a stack', sure: 'this stack' },
}

/** Asks before something is deleted; of what is in use it says that it cannot be [ATPL-06] [ATPL-07] [ATYPE-14] [ASTACK-16]. */
export function sureToDelete(noun: keyof typeof nouns, instanceCount: number | undefined): Promise<boolean> {
  const { title, what, sure } = nouns[noun]
  const isUsed = (instanceCount ?? 0) > 0
  return confirm({
    title,
    message: isUsed
      ? `You cannot delete ${what} that is still being used by instances.`
      : `Are you sure you want to delete ${sure}?`,
    confirmLabel: 'Delete',
    danger: true,
    disabled: isUsed,
  })
}
