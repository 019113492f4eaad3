import type { AuditScope } from '@app/contract/audit'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useQueryText } from '../../../lib/use-query-state.ts'
import { FormRow } from '../../../ui/FormRow.tsx'
import { PageHeader } from '../../../ui/PageHeader.tsx'
import { Select } from '../../../ui/Select.tsx'
import { AuditLog } from '../components/AuditLog.tsx'
import { IntegrityButton, IntegrityFaults } from '../components/Integrity.tsx'
import { Retention } from '../../settings/index.ts'

const scopes = [
  { value: 'all', label: 'Platform and users' },
  { value: 'platform', label: 'Platform' },
  { value: 'user', label: 'Users' },
  { value: 'team', label: 'Teams' },
  { value: 'project', label: 'Instances' },
]

/** The audit log of the platform, and whether it is intact [AUDIT-01]. */
export function AdminAuditLogPage() {
  usePageTitle('Platform Audit Log')
  const [scope, setScope] = useQueryText('scope')
  const within = scopes.some(({ value }) => value === scope) ? (scope as AuditScope) : undefined
  return (
    <>
      <PageHeader
        title="Platform Audit Log"
        description="Recorded events that have taken place at the Platform level."
        actions={<IntegrityButton />}
      />
      <IntegrityFaults />
      <AuditLog
        of={{ scope: 'platform', ...(within ? { within } : {}) }}
        first={
          <>
            <FormRow label="Log:">
              <Select
                value={within ?? 'all'}
                onChange={(next) => setScope(next === 'all' ? '' : next)}
                options={scopes}
              />
            </FormRow>
          </>
        }
        last={<Retention />}
      />
    </>
  )
}
