import { deviceHostPrefix } from '@app/contract'
import type { Config } from '../../../config.ts'

/** Paths of the platform on a host name of an editor. Node-RED has none like these. */
export const editorPaths = { enter: '/_forge/enter', state: '/_forge/state', script: '/_forge/editor.js' } as const

export type EditorHosts = ReturnType<typeof createEditorHosts>

/**
 * The host names of the editors of devices: each has one of its own, as instances have. A platform whose instances have
 * ports in place of names has none.
 */
export function createEditorHosts({
  config,
}: {
  config: Pick<Config, 'baseUrl' | 'instanceDomain' | 'instancePorts'>
}) {
  const { baseUrl, instanceDomain, instancePorts } = config
  const { protocol } = new URL(baseUrl)
  const suffix = `.${instanceDomain.toLowerCase()}`
  const originOf = (id: string) => `${protocol}//${deviceHostPrefix}${id}${suffix}`

  return {
    hasNames: instancePorts === undefined,
    isSecure: protocol === 'https:',
    originOf,
    urlOf: (id: string): string => `${originOf(id)}/`,
    entryOf: (id: string, code: string): string => `${originOf(id)}${editorPaths.enter}?code=${code}`,
    /** The page of the console that lets a person in. */
    doorOf: (id: string): string => `${baseUrl}/device/${id}/editor`,
    /** The device whose editor has this host name, as in the Host header. */
    deviceOf(host: string | undefined): string | undefined {
      if (instancePorts) return undefined
      const name = host?.toLowerCase()
      if (!name?.startsWith(deviceHostPrefix) || !name.endsWith(suffix)) return undefined
      const id = name.slice(deviceHostPrefix.length, -suffix.length)
      return /^[a-z0-9]+$/.test(id) ? id : undefined
    },
  }
}
