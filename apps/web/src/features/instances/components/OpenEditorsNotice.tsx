import type { Instance } from '@app/contract'
import { Banner } from '../../../ui/Banner.tsx'
import { useUser } from '../../account/index.ts'
import { useInstance } from '../instances.queries.ts'
import { openEditorsText } from '../open-editors.ts'

/** Says who has the editor of an instance open, before its flows are replaced or it restarts. */
export function OpenEditorsNotice({ instance }: { instance: Pick<Instance, 'id'> }) {
  const { id: userId } = useUser()
  const { data } = useInstance(instance.id)
  const text = openEditorsText(data?.meta.editors, userId)
  return text ? <Banner kind="warning">{text}</Banner> : null
}
