import type { Factor } from '@app/contract'
import { Button } from '../../../ui/Button.tsx'
import { RelativeTime } from '../../../ui/RelativeTime.tsx'

/** One factor: its name, since when, used when, and the way to remove it. */
export function FactorLine({ factor, onRemove }: { factor: Factor; onRemove: () => void }) {
  const { name, createdAt, lastUsedAt } = factor
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-48">
        <p className="font-medium break-words">{name}</p>
        <p className="text-md text-muted">
          Added <RelativeTime time={createdAt} />
          {' · '}
          {lastUsedAt ? (
            <>
              last used <RelativeTime time={lastUsedAt} />
            </>
          ) : (
            'not used yet'
          )}
        </p>
      </div>
      <Button size="sm" aria-label={`Remove ${name}`} onClick={onRemove}>
        Remove
      </Button>
    </div>
  )
}
