import { Fragment, type ReactNode } from 'react'

export type Detail = { label: string; value: ReactNode }

/** Names and values, one under the other. An empty value shows as 'No Value'. */
export function DetailList({ items }: { items: Detail[] }) {
  return (
    <dl className="grid grid-cols-[minmax(96px,150px)_minmax(0,1fr)] px-4 py-1">
      {items.map(({ label, value }) => (
        <Fragment key={label}>
          <dt className="border-b py-2.25 pr-3 wrap-anywhere text-muted [&:nth-last-of-type(1)]:border-0">{label}</dt>
          <dd className="min-w-0 border-b py-2.25 break-words [&:nth-last-of-type(1)]:border-0">
            {value === undefined || value === null || value === '' ? (
              <span className="text-muted">No Value</span>
            ) : (
              value
            )}
          </dd>
        </Fragment>
      ))}
    </dl>
  )
}
