import type { Foreseen } from '@app/contract'
import { useState } from 'react'
import { useCan } from '../../lib/can.ts'

type Module = NonNullable<Foreseen['module']>

/** The person's decisions about foreseen problems: modules to install with the deployment, and risks they accept. */
export interface InstallChoice {
  /** Undefined where the person may not decide on modules. */
  toggle?: (name: string) => void
  isChosen: (name: string) => boolean
  /** Accepts a problem that is only possible, or no longer. */
  accept: (one: Foreseen) => void
  isAccepted: (one: Foreseen) => boolean
  /** It is known that the flows will not run like this, so that the person is asked for a yes. */
  stops: boolean
  /** The fields sent with the deployment. */
  sent: { install?: Module[]; allowStopped?: string[] }
}

/** `certain`: not deployed without a yes. `possible`: it may turn out so, and a yes can be given ahead. */
export type Outlook = 'certain' | 'possible' | 'warning'

export const outlookOf = ({ stops, codes = [] }: Foreseen): Outlook =>
  stops === true ? 'certain' : codes.length > 0 ? 'possible' : 'warning'

interface Decisions {
  isChosen: (name: string) => boolean
  isAccepted: (one: Foreseen) => boolean
}

/** Sums up the decisions about these problems: each accepted reason is one of the list, and no other is. */
export function decide(foreseen: readonly Foreseen[], { isChosen, isAccepted }: Decisions) {
  const offered = new Map(foreseen.flatMap(({ module }) => (module ? [[module.name, module] as const] : [])))
  const install = [...offered.values()].filter(({ name }) => isChosen(name))
  const left = foreseen.filter(({ module }) => !(module && isChosen(module.name)))
  const certain = left.filter((one) => outlookOf(one) === 'certain')
  const yes = [...certain, ...left.filter((one) => outlookOf(one) === 'possible' && isAccepted(one))]
  const codes = [...new Set(yes.flatMap((one) => one.codes ?? []))]
  return {
    stops: certain.length > 0,
    sent: { ...(install.length > 0 ? { install } : {}), ...(codes.length > 0 ? { allowStopped: codes } : {}) },
  }
}

/** All of the modules that are offered, until a person takes one off; nothing that is only possible is accepted at first. */
export function useInstall(foreseen: readonly Foreseen[] | undefined): InstallChoice {
  const mayInstall = useCan('project:edit')
  const [declined, setDeclined] = useState<ReadonlySet<string>>(new Set())
  const [accepted, setAccepted] = useState<ReadonlySet<string>>(new Set())
  const isChosen = (name: string) => mayInstall && !declined.has(name)
  const isAccepted = ({ codes = [] }: Foreseen) => codes.length > 0 && codes.every((code) => accepted.has(code))
  return {
    ...(mayInstall ? { toggle: (name: string) => setDeclined(toggled(declined, [name], !declined.has(name))) } : {}),
    isChosen,
    accept: (one) => setAccepted(toggled(accepted, one.codes ?? [], !isAccepted(one))),
    isAccepted,
    ...decide(foreseen ?? [], { isChosen, isAccepted }),
  }
}

const toggled = (set: ReadonlySet<string>, values: readonly string[], on: boolean): ReadonlySet<string> =>
  on ? new Set([...set, ...values]) : new Set([...set].filter((one) => !values.includes(one)))
