import type { SsoRule } from '@app/contract'
import { roles } from '@app/contract/roles'
import { useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { cn } from '../../../lib/cn.ts'
import { Combobox } from '../../../ui/Combobox.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Input } from '../../../ui/Input.tsx'
import { Select } from '../../../ui/Select.tsx'
import { titleOfRole } from '../../teams/index.ts'
import { administrators, type RuleRow } from '../rules.ts'
import { teamChoicesQuery } from '../rules.queries.ts'

const roleOptions = [roles.owner, roles.member, roles.viewer, roles.dashboard].map((role) => ({
  value: String(role),
  label: titleOfRole(role),
}))
const administratorsOption = { value: administrators, label: 'Administrators', note: 'of the platform' }

/** One rule of the editor: a group, a team, a role. */
export function GroupRuleRow({
  row,
  number,
  groups,
  names,
  onChange,
  onRemove,
}: {
  row: RuleRow
  number: number
  /** The id of the list of groups that sign-ins named. */
  groups: string
  /** The saved rules, which name their teams before the list of all is there. */
  names: readonly SsoRule[]
  onChange: (row: RuleRow) => void
  onRemove: () => void
}) {
  const { data: teams } = useQuery(teamChoicesQuery)
  const saved = names.flatMap(({ team }) => (team ? [{ value: team.id, label: team.name }] : []))
  const options = teams ?? saved.filter(({ value }, at) => saved.findIndex((one) => one.value === value) === at)
  const isTeam = row.target !== administrators
  return (
    <fieldset className="flex min-w-0 flex-wrap items-end gap-3 border-b pb-4">
      <legend className="sr-only">Rule {number}</legend>
      <div className="min-w-0 flex-1 basis-52">
        <FormRow label="Group">
          <Input
            value={row.group}
            onChange={({ target }) => onChange({ ...row, group: target.value })}
            list={groups}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        </FormRow>
      </div>
      <div className="min-w-0 flex-1 basis-44">
        <FormRow label="Team">
          <Combobox
            value={row.target}
            onChange={(target) => onChange({ ...row, target })}
            options={[administratorsOption, ...options]}
            searchLabel="Search Teams..."
            emptyText="No such team."
          />
        </FormRow>
      </div>
      {/* The button stays beside the role where the row is broken into lines. */}
      <div className={cn('flex min-w-0 items-end gap-3', isTeam && 'flex-1 basis-44')}>
        {isTeam && (
          <div className="min-w-0 flex-1">
            <FormRow label="Role">
              <Select value={row.role} onChange={(role) => onChange({ ...row, role })} options={roleOptions} />
            </FormRow>
          </div>
        )}
        <IconButton label={`Remove Rule ${number}`} onClick={onRemove}>
          <Trash2 size={16} aria-hidden />
        </IconButton>
      </div>
    </fieldset>
  )
}
