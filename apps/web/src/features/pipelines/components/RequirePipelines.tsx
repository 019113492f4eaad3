import { GitBranch } from 'lucide-react'
import type { ReactNode } from 'react'
import { useCan } from '../../../lib/can.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { NotAllowed } from '../../../ui/ErrorState.tsx'
import { SectionTitle } from '../../../ui/PageHeader.tsx'
import { useCurrentApplication } from '../../applications/index.ts'
import { useFeatures } from '../../teams/index.ts'

/** Around the pages of pipelines: the platform or the team may run without them, and not everybody may see or change them. */
export function RequirePipelines({ changes = false, children }: { changes?: boolean; children: ReactNode }) {
  const features = useFeatures(useCurrentApplication().teamId)
  const [sees, edits] = [useCan('application:pipelines:list'), useCan('pipeline:edit')]
  if (features?.['devops-pipelines'] === false)
    return (
      <EmptyState icon={<GitBranch />} title="DevOps Pipelines are not available">
        This platform or the type of this team leaves them out. Ask an administrator if your team needs them.
      </EmptyState>
    )
  if (changes ? !edits : !sees)
    return (
      <>
        <SectionTitle title="DevOps Pipelines" />
        <NotAllowed title="Pipelines are not available to you">
          This needs at least the role {changes ? 'Owner' : 'Member'} in the team. A team owner can change your role.
        </NotAllowed>
      </>
    )
  return children
}
