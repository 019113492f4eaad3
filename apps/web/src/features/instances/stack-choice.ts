import type { Stack } from '@app/contract'
import type { Option } from '../../ui/option.ts'

type Choice = Pick<Stack, 'id' | 'name' | 'label' | 'properties' | 'meta'>

const words = {
  waiting: 'waits to be fetched',
  installing: 'is being fetched',
  verifying: 'is being tried',
  failed: 'could not be prepared',
} as const

/** Only a ready one; while a type has none at all, the first instance waits for its default. */
export function canChoose(stack: Choice, stacks: readonly Choice[], usual: string | null | undefined): boolean {
  return stack.meta.state === 'ready' || (stack.id === usual && !stacks.some(({ meta }) => meta.state === 'ready'))
}

/** Beside the name: the version, or why it cannot be chosen. */
export function stackNote({ properties, meta }: Choice): string {
  return meta.state === 'ready' ? properties.nodered : words[meta.state]
}

/** Stacks to choose from, those that cannot be chosen with the reason. `usual`: the default of the type. */
export const stackOptions = (stacks: readonly Choice[], usual: string | null | undefined): Option[] =>
  stacks.map((one) => ({
    value: one.id,
    label: one.label || one.name,
    note: stackNote(one),
    disabled: !canChoose(one, stacks, usual),
  }))

/** The same for an instance: the stack it has is marked, and comes along though it be inactive by now [INST-42]. */
export function stackOptionsOf(
  current: Omit<Choice, 'meta'>,
  stacks: readonly Choice[],
  usual: string | null | undefined,
): Option[] {
  const own = {
    value: current.id,
    label: `${current.label || current.name} (current)`,
    note: current.properties.nodered,
  }
  const options = stackOptions(stacks, usual)
  if (!options.some(({ value }) => value === own.value)) return [own, ...options]
  return options.map((option) => (option.value === own.value ? own : option))
}

/** Under the field: what the choice means, or what is the matter with one that is not ready. */
export function stackHelp(stacks: readonly Choice[], usual: string | null | undefined): string {
  const first = stacks.find(({ meta }) => meta.state === 'failed') ?? stacks.find(({ meta }) => meta.state !== 'ready')
  if (!first || first.meta.state === 'ready') return 'Which Node-RED the instance runs.'
  const name = first.label || first.name
  const what = `${name} ${words[first.meta.state]}`
  if (first.meta.state === 'failed') return `${what}${first.meta.reason ? `: ${first.meta.reason}` : ''}.`
  return canChoose(first, stacks, usual)
    ? `${what}; the instance waits for it.`
    : `${what}; it can be chosen once it has started on trial.`
}
