import { Navigate } from '@tanstack/react-router'
import { useCan } from '../../../lib/can.ts'
import { usePageTitle } from '../../../lib/page-title.ts'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { AuditLog } from '../../audit/index.ts'
import { useTeam } from '../team-context.ts'

/** The audit log of a team. Redirects to its overview without the right to read it [TAUD-02]. */
export function TeamAuditLogPage() {
  const team = useTeam()
  usePageTitle('Audit Log', team.name)
  if (!useCan('team:audit-log')) return <Navigate to="/team/$slug/applications" params={{ slug: team.slug }} replace />
  return (
    <>
      <PageHeader title="Audit Log" description={`Events in ${team.name}, and who caused them.`} />
      <AuditLog of={{ scope: 'team', id: team.id }} teamId={team.id} />
    </>
  )
}
