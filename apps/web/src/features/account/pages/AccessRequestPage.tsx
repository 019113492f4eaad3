import { addressOf } from '@app/client'
import { routeMap } from '@app/client/routes'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import { hasStatus } from '../../../lib/api.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { BoxedLayout } from '../../../shell/BoxedLayout.tsx'
import { NotFound } from '../../../shell/NotFound.tsx'
import { Button } from '../../../ui/Button.tsx'
import { ErrorState } from '../../../ui/ErrorState.tsx'
import { SkeletonText } from '../../../ui/Skeleton.tsx'
import { accessRequestQuery } from '../session.queries.ts'
import { useUser } from '../user-context.ts'

/** Sends the browser to the call that answers a request; it redirects back to whoever asked. */
export function answer(id: string, verdict: 'complete' | 'reject'): void {
  location.assign(addressOf(routeMap[`editorAuth.${verdict}`][1], { requestId: id }))
}

const consequences = [
  'see who you are: your name, username and email address',
  'see your teams and the instances in them',
  'do there what your role in each team lets you do',
]

/** Asks whether an application may act for the person who is signed in. */
export function AccessRequestPage() {
  const { id } = useParams({ from: '/account/request/$id' })
  usePageTitle('Access request')
  const { username } = useUser()
  const { data: request, error, refetch } = useQuery(accessRequestQuery(id))
  if (hasStatus(error, 404)) return <NotFound />
  if (error) return <ErrorState onRetry={() => void refetch()}>{error.message}</ErrorState>
  return (
    <BoxedLayout title="Allow access?">
      {request ? (
        <>
          <p className="-mt-3">
            <b className="font-semibold">{request.instance?.name ?? request.client}</b>
            {request.instance ? ', a Node-RED instance,' : ''} asks for access to your teams and projects. It could:
          </p>
          <ul className="flex flex-col gap-1.5">
            {consequences.map((text) => (
              <li key={text} className="flex gap-2">
                <Check size={16} aria-hidden className="mt-0.5 text-muted" />
                {text}
              </li>
            ))}
          </ul>
        </>
      ) : (
        <SkeletonText lines={4} />
      )}
      <p className="text-muted">
        You are signed in as <span className="font-medium text-ink">{username}</span>. Allow this only if you have just
        requested it.
      </p>
      <div className="flex gap-3">
        <Button variant="primary" disabled={!request} onClick={() => answer(id, 'complete')}>
          Allow
        </Button>
        <Button disabled={!request} onClick={() => answer(id, 'reject')}>
          Deny
        </Button>
      </div>
    </BoxedLayout>
  )
}
