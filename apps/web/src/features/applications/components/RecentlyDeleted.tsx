import type { DeletedInstance } from '@app/contract'
import { useState } from 'react'
import { formatDay } from '../../../lib/dates.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'
import { useDeletedInstances, useRemoveInstance } from '../deleted.queries.ts'
import { RestoreInstanceDialog } from './RestoreInstanceDialog.tsx'

/** The instances of a team that were deleted and can be brought back. Nothing when there are none. */
export function RecentlyDeleted({ teamId }: { teamId: string }) {
  const { data } = useDeletedInstances(teamId)
  const { mutate: remove, isPending, variables } = useRemoveInstance(teamId)
  const [restored, setRestored] = useState<DeletedInstance>()
  if (!data || data.length === 0) return null
  const ask = async (instance: DeletedInstance) => (await confirm(question(instance.name))) && remove(instance)
  return (
    <section aria-labelledby="recently-deleted" className="mt-8">
      <h2 id="recently-deleted" className="text-lg">
        Recently deleted
      </h2>
      <p className="mt-1 mb-3 text-muted">Deleted instances do not run. They are removed permanently after 7 days.</p>
      <Card>
        <ul>
          {data.map((instance) => (
            <li key={instance.id} className="flex flex-wrap items-center gap-x-6 gap-y-2 border-b p-4 last:border-0">
              <div className="min-w-60 flex-1">
                <div className="font-medium break-words">{instance.name}</div>
                <div className="text-sm text-muted">
                  {instance.application.name} · deleted <RelativeTime time={instance.deletedAt} />
                  {instance.deletedBy && ` by ${instance.deletedBy}`} · kept until {formatDay(instance.until)}
                </div>
              </div>
              <div className="flex gap-2">
                <Button
                  size="sm"
                  variant="danger"
                  loading={isPending && variables?.id === instance.id}
                  aria-label={`Delete Now ${instance.name}`}
                  onClick={() => void ask(instance)}
                >
                  Delete Now
                </Button>
                <Button size="sm" aria-label={`Restore ${instance.name}`} onClick={() => setRestored(instance)}>
                  Restore
                </Button>
              </div>
            </li>
          ))}
        </ul>
      </Card>
      {restored && (
        <RestoreInstanceDialog
          key={restored.id}
          teamId={teamId}
          instance={restored}
          onClose={() => setRestored(undefined)}
        />
      )}
    </section>
  )
}

const question = (name: string) => ({
  title: 'Delete Now',
  message: (
    <>
      This removes <b>{name}</b> with its flows, credentials and log permanently. This cannot be undone.
    </>
  ),
  confirmLabel: 'Delete Now',
  danger: true,
  typed: name,
})
