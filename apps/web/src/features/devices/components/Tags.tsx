import { cn } from '../../../lib/cn.ts'
import { Tag } from '../../../ui/Badge.tsx'

/** So many stand in a row of a list. */
const most = 3

/** The tags of a device. With `onChoose`, in a list, the first of them: each lists the devices that have it. */
export function Tags({ tags, onChoose }: { tags: string[]; onChoose?: (tag: string) => void }) {
  if (tags.length === 0) return null
  const more = onChoose ? tags.slice(most) : []
  return (
    <span className={cn('inline-flex flex-wrap items-center gap-x-1', !onChoose && 'gap-y-1')}>
      {tags.slice(0, tags.length - more.length).map((tag) =>
        onChoose ? (
          <button
            key={tag}
            type="button"
            className="inline-flex min-h-6 max-w-full min-w-6 items-center rounded-sm hover:underline"
            aria-label={`Show devices with the tag ${tag}`}
            onClick={() => onChoose(tag)}
          >
            <Tag>
              <span className="block truncate sm:max-w-24" title={tag}>
                {tag}
              </span>
            </Tag>
          </button>
        ) : (
          <Tag key={tag}>{tag}</Tag>
        ),
      )}
      {more.length > 0 && (
        <span className="inline-flex" title={more.join(', ')}>
          <Tag>
            <span aria-hidden>+{more.length}</span>
            <span className="sr-only">and {more.join(', ')}</span>
          </Tag>
        </span>
      )}
    </span>
  )
}
