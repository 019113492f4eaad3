import type { Licence } from '@app/contract'
import { formatExact } from '../../../lib/dates.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { DetailList } from '../../../ui/DetailList.tsx'

/** The details of a licence; the whole of it can be unfolded [ALIC-01]. */
export function LicenceDetails({ licence }: { licence: Licence }) {
  const expires = (
    <span className="flex flex-wrap items-center gap-2">
      {formatExact(licence.expires)}
      {licence.expired && <Badge tone="bad">expired</Badge>}
    </span>
  )
  return (
    <>
      <DetailList
        items={[
          { label: 'License ID', value: licence.id },
          { label: 'Organisation', value: licence.organisation },
          { label: 'Tier', value: licence.dev ? `${licence.tier}, for development only` : licence.tier },
          { label: 'Expires', value: expires },
        ]}
      />
      <details className="border-t px-4 py-2.5">
        <summary className="w-fit rounded-sm text-muted hover:text-ink">Details</summary>
        <pre
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling region must take the keyboard
          tabIndex={0}
          className="mono mt-2 overflow-x-auto rounded-md border bg-page p-2.5"
        >
          {JSON.stringify(licence, null, 2)}
        </pre>
      </details>
    </>
  )
}
