import type { Foreseen } from '@app/contract'
import { useState } from 'react'
import { useCan } from '../../lib/can.ts'

type Module = NonNullable<Foreseen['module']>

/** The person's decision about foreseen problems: which missing modules to install with the deployment. */
export interface InstallChoice {
  /** Undefined where the person may not decide on modules. */
  toggle?: (name: string) => void
  isChosen: (name: string) => boolean
  /** It is known that the flows will not run like this, so that the person is asked for a yes. */
  stops: boolean
  /** The fields sent with the deployment. */
  sent: { install?: Module[]; allowStopped?: string[] }
}

/** All of the modules that are offered, until a person takes one off. */
export function useInstall(foreseen: readonly Foreseen[] | undefined): InstallChoice {
  const mayInstall = useCan('project:edit')
  const [declined, setDeclined] = useState<ReadonlySet<string>>(new Set())
  const isChosen = (name: string) => mayInstall && !declined.has(name)
  const offered = new Map((foreseen ?? []).flatMap(({ module }) => (module ? [[module.name, module] as const] : [])))
  const install = [...offered.values()].filter(({ name }) => isChosen(name))
  const left = (foreseen ?? []).filter(({ module }) => !(module && isChosen(module.name)))
  const stops = left.some((one) => one.stops === true)
  const codes = [...new Set(left.flatMap((one) => one.codes ?? []))]
  return {
    ...(mayInstall
      ? {
          toggle: (name: string) =>
            setDeclined(
              declined.has(name) ? new Set([...declined].filter((one) => one !== name)) : new Set([...declined, name]),
            ),
        }
      : {}),
    isChosen,
    stops,
    sent: { ...(install.length > 0 ? { install } : {}), ...(stops ? { allowStopped: codes } : {}) },
  }
}
