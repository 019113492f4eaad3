import { Tag } from '../../../ui/Badge.tsx'

/** The tags of a device. With `onChoose` each lists the devices that have it. */
export function Tags({ tags, onChoose }: { tags: string[]; onChoose?: (tag: string) => void }) {
  if (tags.length === 0) return null
  return (
    <span className="inline-flex flex-wrap gap-1">
      {tags.map((tag) =>
        onChoose ? (
          <button
            key={tag}
            type="button"
            className="rounded-sm hover:underline"
            aria-label={`Show devices with the tag ${tag}`}
            onClick={() => onChoose(tag)}
          >
            <Tag>{tag}</Tag>
          </button>
        ) : (
          <Tag key={tag}>{tag}</Tag>
        ),
      )}
    </span>
  )
}
