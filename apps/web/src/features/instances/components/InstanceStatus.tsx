import type { Instance } from '@app/contract'
import { StatusBadge } from '../../../ui/StatusBadge.tsx'
import { useChange } from '../changes.ts'

/** The state of an instance; one that cannot be read shows as stopped [INST-26]. */
export function InstanceStatus({ instance }: { instance: Pick<Instance, 'id'> & Partial<Pick<Instance, 'meta'>> }) {
  const change = useChange(instance.id)
  const { state, sleeping } = instance.meta ?? { state: 'stopped' }
  return <StatusBadge state={change?.state ?? (sleeping ? 'sleeping' : state)} pending={change !== undefined} />
}
