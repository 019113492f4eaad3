import type { SsoRule } from '@app/contract'
import { useQuery } from '@tanstack/react-query'
import { Plus, Users } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Failure } from '../../../lib/api-failure.tsx'
import { useUnsavedGuard } from '../../../lib/use-unsaved-guard.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SectionTitle } from '../../../ui/PageHeader.tsx'
import { SkeletonCard } from '../../../ui/Skeleton.tsx'
import { toast } from '../../../ui/toast.ts'
import { useFirstFault } from '../../../ui/use-first-fault.ts'
import { useSettings } from '../../account/index.ts'
import { SettingsForm } from '../../instance-settings/index.ts'
import { faultIn, newRow, type RuleFault, type RuleRow, ruleFault, rowsOf, rulesFrom, wholeTeam } from '../rules.ts'
import { rulesQuery, useSaveRules } from '../rules.queries.ts'
import { signInsQuery } from '../sso.queries.ts'
import { GroupRuleRow } from './GroupRuleRow.tsx'
import { TryRules } from './TryRules.tsx'

/** Groups of the provider become roles in teams and applications, and the right of administrators. */
export function GroupRules({ id }: { id: string }) {
  const { data: rules, error, refetch } = useQuery(rulesQuery(id))
  return (
    <section>
      <SectionTitle title="Group Rules" note="Groups of the provider become roles here." />
      {error && !rules && <Failure error={error} onRetry={() => void refetch()} />}
      {!error && !rules && <SkeletonCard rows={2} />}
      {rules && <Editor id={id} rules={rules} />}
    </section>
  )
}

const textOf = (rows: readonly RuleRow[]): string => JSON.stringify(rulesFrom(rows))

function Editor({ id, rules }: { id: string; rules: SsoRule[] }) {
  const [rows, setRows] = useState(() => rowsOf(rules))
  const [saved, setSaved] = useState(() => textOf(rows))
  const [fault, setFault] = useState<RuleFault>()
  const editor = useFirstFault<HTMLFormElement>(fault)
  // The key of a row that was added by hand: it begins with the focus in its first field.
  const [added, setAdded] = useState<number>()
  const addButton = useRef<HTMLButtonElement>(null)
  const { data: signIns } = useQuery(signInsQuery(id))
  const { mutateAsync: save, isPending } = useSaveRules(id)
  const features = useSettings()?.features
  const changeNothing = features?.applicationRoles === false && rows.some((row) => row.application !== wholeTeam)
  const listId = useId()
  const isChanged = textOf(rows) !== saved
  useUnsavedGuard(isChanged && !isPending)
  const known = [...new Set((signIns ?? []).flatMap(({ groups }) => groups ?? []))].toSorted()

  function change(next: RuleRow[]) {
    setFault(undefined)
    setRows(next)
  }

  function addRow() {
    const row = newRow()
    setAdded(row.key)
    change([...rows, row])
  }

  /** The button that removes a rule goes with it, and would take the focus along. */
  function remove(at: number) {
    flushSync(() => change(rows.toSpliced(at, 1)))
    addButton.current?.focus()
  }

  async function submit() {
    const missing = faultIn(rows)
    if (missing) return setFault(missing)
    try {
      await save(rulesFrom(rows))
      setSaved(textOf(rows))
      toast.success('The rules are saved. They count from the next sign-in of each person.')
    } catch (error) {
      setFault(ruleFault(error) ?? { text: 'The rules could not be saved' })
    }
  }

  const add = (
    <Button ref={addButton} icon={<Plus size={16} aria-hidden />} onClick={addRow}>
      Add Rule
    </Button>
  )
  if (rows.length === 0 && saved === '[]') {
    return (
      <Card className="max-w-180">
        <EmptyState icon={<Users />} title="No group rules" action={add}>
          People join teams by invitations alone. A rule gives everybody in a group a role.
        </EmptyState>
      </Card>
    )
  }
  return (
    <Card padded className="max-w-180">
      <SettingsForm ref={editor} onSave={() => void submit()}>
        <datalist id={listId}>
          {known.map((group) => (
            <option key={group}>{group}</option>
          ))}
        </datalist>
        {rows.map((row, at) => (
          <GroupRuleRow
            key={row.key}
            row={row}
            number={at + 1}
            groups={listId}
            names={rules}
            wrong={fault?.at === at ? fault.field : undefined}
            focused={row.key === added}
            onChange={(next) => change(rows.with(at, next))}
            onRemove={() => remove(at)}
          />
        ))}
        {changeNothing && (
          <Banner kind="warning">
            Roles in single applications are off, so rules for an application change nothing.
          </Banner>
        )}
        {fault && <Banner kind="error">{fault.text}</Banner>}
        <div className="flex flex-wrap gap-2">
          {add}
          <Button type="submit" variant="primary" loading={isPending} disabled={!isChanged}>
            Save Rules
          </Button>
        </div>
        <TryRules id={id} rows={rows} signIns={signIns ?? []} />
      </SettingsForm>
    </Card>
  )
}
