import { useQuery } from '@tanstack/react-query'
import { useCan } from '../../../lib/can.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { plural } from '../../../lib/plural.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { useTeamApplications } from '../../applications/index.ts'
import { teamMembersQuery } from '../teams.queries.ts'
import { useTeam } from '../team-context.ts'
import { useDeleteTeam } from '../team-settings.queries.ts'

/** The end of a team [TSET-07] [TSET-08] [TSET-09]. */
export function TeamSettingsDangerPage() {
  const team = useTeam()
  usePageTitle('Danger', team.name)
  const mayDelete = useCan('team:delete')
  const { data: applications } = useTeamApplications(team.id)
  const { data: members = [] } = useQuery(teamMembersQuery(team.id))
  const { mutate: remove, isPending } = useDeleteTeam(team.id)
  const full = applications === undefined || applications.count > 0
  const ask = async () => {
    const sure = await confirm({
      title: 'Delete Team',
      message: (
        <>
          This deletes <b>{team.name}</b>, its audit log and its {plural(members.length, 'membership')}. It cannot be
          undone.
        </>
      ),
      confirmLabel: 'Delete',
      danger: true,
      typed: team.name,
    })
    if (sure) remove()
  }
  return (
    <Card>
      <section className="flex flex-wrap items-center gap-x-6 gap-y-3 p-4">
        <div className="min-w-60 flex-1">
          <h2 className="text-base font-semibold">Delete Team</h2>
          <p className="text-md text-muted">
            {full
              ? 'Only a team without applications can be deleted. Delete them first.'
              : 'The team has no applications and can be deleted.'}
          </p>
        </div>
        <Button variant="danger" disabled={full || !mayDelete} loading={isPending} onClick={() => void ask()}>
          Delete Team
        </Button>
      </section>
    </Card>
  )
}
