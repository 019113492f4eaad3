import type { Instance } from '@app/contract'
import { useCan } from '../../../lib/can.ts'
import { TakeoverSetting } from '../../deployments/index.ts'
import { useSaveTakeover } from '../settings.queries.ts'

/** Takeover setting of an instance. */
export function TakeoverCard({ instance: { id, takeover } }: { instance: Pick<Instance, 'id' | 'takeover'> }) {
  const mayEdit = useCan('project:edit')
  const { mutate, isPending } = useSaveTakeover(id)
  return <TakeoverSetting value={takeover} disabled={!mayEdit || isPending} onChange={mutate} />
}
