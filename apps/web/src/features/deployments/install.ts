import type { Foreseen } from '@app/contract'
import { useState } from 'react'
import { useCan } from '../../lib/can.ts'

type Module = NonNullable<Foreseen['module']>

/** Modules that flows lack, and which of them are installed together with the deployment. */
export interface InstallChoice {
  /** Undefined where the person may not decide on modules. */
  toggle?: (name: string) => void
  isChosen: (name: string) => boolean
  /** What is sent with the deployment; nothing when nothing is to be installed. */
  sent: { install?: Module[] }
}

/** All of the modules that are offered, until a person takes one off. */
export function useInstall(foreseen: readonly Foreseen[] | undefined): InstallChoice {
  const mayInstall = useCan('project:edit')
  const [declined, setDeclined] = useState<ReadonlySet<string>>(new Set())
  const isChosen = (name: string) => mayInstall && !declined.has(name)
  const offered = new Map((foreseen ?? []).flatMap(({ module }) => (module ? [[module.name, module] as const] : [])))
  const install = [...offered.values()].filter(({ name }) => isChosen(name))
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
    sent: install.length > 0 ? { install } : {},
  }
}
