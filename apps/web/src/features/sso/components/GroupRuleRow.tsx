import type { SsoRule } from '@app/contract'
import { applicationRoles, roles } from '@app/contract/roles'
import { useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { cn } from '../../../lib/cn.ts'
import { Combobox } from '../../../ui/Combobox.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Input } from '../../../ui/Input.tsx'
import { Select } from '../../../ui/Select.tsx'
import { useSettings } from '../../account/index.ts'
import { titleOfRole } from '../../teams/index.ts'
import { administrators, type RuleRow, wholeTeam, withApplication, withTarget } from '../rules.ts'
import { applicationChoicesQuery, teamChoicesQuery } from '../rules.queries.ts'

const optionOf = (role: number) => ({ value: String(role), label: titleOfRole(role) })
const teamRoles = [roles.owner, roles.member, roles.viewer, roles.dashboard].map(optionOf)
const applicationRoleOptions = applicationRoles.toReversed().map(optionOf)
const administratorsOption = { value: administrators, label: 'Administrators', note: 'of the platform' }
const wholeTeamOption = { value: wholeTeam, label: 'Whole team' }

interface Props {
  row: RuleRow
  number: number
  /** The id of the list of groups that sign-ins named. */
  groups: string
  /** The saved rules, which name their teams and applications before the lists of all are there. */
  names: readonly SsoRule[]
  /** The field that keeps the rules from being saved: the sentence about it stands below all rules. */
  wrong: string | undefined
  /** The row was just added, so it begins with the focus. */
  focused: boolean
  onChange: (row: RuleRow) => void
  onRemove: () => void
}

/** One rule of the editor: a group, a team or one application of it, a role. */
export function GroupRuleRow({ row, number, groups, names, wrong, focused, onChange, onRemove }: Props) {
  const { data: teams } = useQuery(teamChoicesQuery)
  const saved = names.flatMap(({ team }) => (team ? [{ value: team.id, label: team.name }] : []))
  const options = teams ?? saved.filter(({ value }, at) => saved.findIndex((one) => one.value === value) === at)
  const isTeam = row.target !== administrators
  const inApplication = row.application !== wholeTeam
  // A rule for an application can be seen, and changed to one for the team, while such roles are off.
  const hasApplications = useSettings()?.features.applicationRoles === true || inApplication
  const remove = (
    <IconButton label={`Remove Rule ${number}`} onClick={onRemove}>
      <Trash2 size={16} aria-hidden />
    </IconButton>
  )
  // Fields are broken into lines in pairs; the button stays beside the last one.
  return (
    <fieldset className="flex min-w-0 flex-wrap items-end gap-3 border-b pb-4">
      <legend className="sr-only">Rule {number}</legend>
      <div className="flex min-w-0 flex-1 basis-96 flex-wrap gap-3">
        <div className="min-w-0 flex-1 basis-44">
          <FormRow label="Group">
            <Input
              value={row.group}
              onChange={({ target }) => onChange({ ...row, group: target.value })}
              list={groups}
              aria-invalid={wrong === 'group' || undefined}
              // oxlint-disable-next-line jsx-a11y/no-autofocus -- whoever adds a rule means to fill it in
              autoFocus={focused}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
          </FormRow>
        </div>
        <div className="flex min-w-0 flex-1 basis-44 items-end gap-3">
          <div className="min-w-0 flex-1">
            <FormRow label="Team">
              <Combobox
                invalid={wrong === 'team'}
                value={row.target}
                onChange={(target) => onChange(withTarget(row, target))}
                options={[administratorsOption, ...options]}
                searchLabel="Search Teams..."
                emptyText="No such team."
              />
            </FormRow>
          </div>
          {!isTeam && remove}
        </div>
      </div>
      {isTeam && (
        <div className={cn('flex min-w-0 flex-1 flex-wrap gap-3', hasApplications ? 'basis-96' : 'basis-44')}>
          {hasApplications && (
            <div className="min-w-0 flex-1 basis-44">
              <ApplicationField row={row} names={names} onChange={onChange} />
            </div>
          )}
          <div className="flex min-w-0 flex-1 basis-44 items-end gap-3">
            <div className="min-w-0 flex-1">
              <FormRow label="Role">
                <Select
                  value={row.role}
                  onChange={(role) => onChange({ ...row, role })}
                  options={inApplication ? applicationRoleOptions : teamRoles}
                />
              </FormRow>
            </div>
            {remove}
          </div>
        </div>
      )}
    </fieldset>
  )
}

/** The whole team or one application of it. */
function ApplicationField({ row, names, onChange }: Pick<Props, 'row' | 'names' | 'onChange'>) {
  const { data: applications } = useQuery({ ...applicationChoicesQuery(row.target), enabled: row.target !== '' })
  const saved = names.flatMap(({ application }) =>
    application?.id === row.application ? [{ value: application.id, label: application.name }] : [],
  )
  return (
    <FormRow label="Application">
      <Combobox
        value={row.application}
        onChange={(application) => onChange(withApplication(row, application))}
        options={[wholeTeamOption, ...(applications ?? saved.slice(0, 1))]}
        searchLabel="Search Applications..."
        emptyText="No such application."
        disabled={row.target === ''}
      />
    </FormRow>
  )
}
