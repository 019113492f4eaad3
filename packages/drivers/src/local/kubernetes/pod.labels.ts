import { createHash } from 'node:crypto'
import { partsOf } from '../../slots.ts'

/** By these the platform selects its pods. `app` is for people, and for the network policy of the installation. */
export const podLabels = {
  app: 'app.kubernetes.io/name',
  home: 'flowforge.home',
  instance: 'flowforge.instance',
  launch: 'flowforge.launch',
} as const
export const appName = 'flowforge-instance'
/** The annotation with the key of the process, which may have signs that labels do not have. */
export const keyAnnotation = 'flowforge.process'

const hash = (text: string) => createHash('sha256').update(text).digest('hex')
/** Names of objects are in small letters, digits and hyphens; ids of instances may have others. */
const nameable = /^[a-z0-9](?:[a-z0-9-]{0,34}[a-z0-9])?$/

/**
 * Tells the pods of one platform from those of others in the same namespace. The folder alone would not do: in images it
 * is the same for all.
 */
export const familyOf = ({ home, claim }: { home: string; claim: string }): string =>
  hash(`${claim} ${home}`).slice(0, 12)

/** An instance as a label or a part of a name. */
export function instanceLabelOf(key: string): string {
  const { id } = partsOf(key)
  return nameable.test(id) ? id : hash(id).slice(0, 32)
}

/** The name of the pod of a process: the same for every launch, so that the cluster lets there be only one. */
export function podNameOf(family: string, key: string): string {
  const { slot } = partsOf(key)
  return `${budgetNameOf(family, key)}${slot === 0 ? '' : `-${slot}`}`
}

/** The secret of one launch. */
export const secretNameOf = (launch: string): string => `ff-launch-${launch}`

/** The disruption budget of an instance with two processes. */
export const budgetNameOf = (family: string, key: string): string => `ff-${family}-${instanceLabelOf(key)}`
