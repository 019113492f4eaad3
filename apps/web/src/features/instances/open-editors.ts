import type { OpenEditor } from '@app/contract'

/** The names of those who have the editor open, "You" first; undefined when there are none. */
export function openEditorNames(editors: readonly OpenEditor[] | undefined, userId: string): string | undefined {
  const names = (editors ?? []).map(({ id, username }) => (id === userId ? 'You' : username))
  if (names.length === 0) return undefined
  const sorted = names.sort((a, b) => Number(b === 'You') - Number(a === 'You'))
  return new Intl.ListFormat('en').format(sorted)
}

/** For a person about to restart an instance or to replace its flows. */
export function openEditorsText(editors: readonly OpenEditor[] | undefined, userId: string): string | undefined {
  const names = openEditorNames(editors, userId)
  if (!names) return undefined
  const isOne = editors?.length === 1 && names !== 'You'
  return `${names} ${isOne ? 'has' : 'have'} the editor open. Undeployed changes stay in the browser and can be deployed afterwards.`
}
