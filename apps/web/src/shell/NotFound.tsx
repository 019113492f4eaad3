import { Compass } from 'lucide-react'
import { usePageTitle } from '../lib/page-title.ts'
import { ButtonLink } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'

/** 404, as the routed page or in place of a thing that is not there. Works with and without the shell around it. */
export function NotFound({ homeTo = '/' }: { homeTo?: string }) {
  usePageTitle('Page Not Found')
  return (
    <EmptyState
      level={1}
      icon={<Compass />}
      title="Page Not Found"
      action={
        <ButtonLink to={homeTo} variant="primary">
          Go home
        </ButtonLink>
      }
    >
      There is no page at this address. It may have been renamed or deleted, or you may not be in its team.
    </EmptyState>
  )
}
