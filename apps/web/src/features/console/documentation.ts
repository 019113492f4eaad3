import { useSettings } from '../account/index.ts'

/** The pages that every platform serves itself. */
const ownPages = '/api/'

/** The address of the documentation, which the operator may move elsewhere (SHELL-27). */
export function useDocumentation(): string {
  return useSettings()?.documentation_url ?? ownPages
}
