import { Layers, Plus, SearchX } from 'lucide-react'
import { useCan } from '../../../lib/can.ts'
import { PageFailure } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { plural } from '../../../lib/plural.ts'
import { useQueryText } from '../../../lib/use-query-state.ts'
import { Button, ButtonLink } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SearchInput } from '../../../ui/Input.tsx'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { useTeam } from '../../teams/index.ts'
import { type ApplicationWithStates, useTeamApplications } from '../applications.queries.ts'
import { ApplicationCard } from '../components/ApplicationCard.tsx'
import { countText, search } from '../search.ts'

/**
 * The platform reports the usage of at most this many instances in one call; a row without its chart would look
 * broken.
 */
const mostCharts = 50

/** The applications of a team, each with its instances. */
export function TeamApplicationsPage() {
  const team = useTeam()
  usePageTitle('Applications', team.name)
  const [text, setText] = useQueryText('q')
  const mayCreate = useCan('project:create')
  const { data, error, refetch } = useTeamApplications(team.id)
  if (error && !data) return <PageFailure error={error} onRetry={() => void refetch()} />

  const applications = data?.applications
  const create = mayCreate && (
    <ButtonLink variant="primary" icon={<Plus size={16} aria-hidden />} to={`/team/${team.slug}/applications/create`}>
      Create Application
    </ButtonLink>
  )
  const filled = applications !== undefined && applications.length > 0
  return (
    <>
      <PageHeader
        title="Applications"
        description={filled ? countText(applications) : 'The instances of your team, grouped by application.'}
        actions={
          filled && (
            <>
              <SearchInput
                label="Search applications and instances"
                value={text}
                onChange={setText}
                className="min-w-0 flex-[1_1_280px] sm:w-70 sm:flex-none"
              />
              {create}
            </>
          )
        }
      />
      {!applications && (
        <div className="flex flex-col gap-4">
          <SkeletonCard rows={3} />
          <SkeletonCard rows={2} />
        </div>
      )}
      {applications?.length === 0 && (
        <EmptyState icon={<Layers />} title="Get Started with your First Application" action={create}>
          An application groups the Node-RED instances that belong together.
          {!mayCreate && ' A team owner can create one.'}
        </EmptyState>
      )}
      {filled && (
        <Found
          applications={search(applications, text)}
          charts={applications.flatMap(({ instances }) => instances).length <= mostCharts}
          text={text}
          onClear={() => setText('')}
        />
      )}
    </>
  )
}

function Found(props: { applications: ApplicationWithStates[]; charts: boolean; text: string; onClear: () => void }) {
  return (
    <>
      <p aria-live="polite" className="sr-only">
        {props.text && `${plural(props.applications.length, 'application')} found`}
      </p>
      {props.applications.length === 0 && (
        <EmptyState
          icon={<SearchX />}
          title={`Nothing found for “${props.text}”`}
          action={<Button onClick={props.onClear}>Clear search</Button>}
        >
          The search covers the names of applications and instances.
        </EmptyState>
      )}
      <div className="flex flex-col gap-4">
        {props.applications.map((application) => (
          <ApplicationCard key={application.id} application={application} charts={props.charts} />
        ))}
      </div>
    </>
  )
}
