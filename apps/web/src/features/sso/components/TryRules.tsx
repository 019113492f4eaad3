import type { SsoSignIn } from '@app/contract'
import { useState } from 'react'
import { Banner } from '../../../ui/Banner.tsx'
import { Button } from '../../../ui/Button.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { Select } from '../../../ui/Select.tsx'
import { faultIn, type RuleRow, ruleFault, rulesFrom, trialsOf } from '../rules.ts'
import { useTryRules } from '../rules.queries.ts'

type Outcome = { effects: string[] } | { fault: string }

/** Tries the rules of the form on a sign-in that was kept, before they are saved. */
export function TryRules({ id, rows, signIns }: { id: string; rows: RuleRow[]; signIns: SsoSignIn[] }) {
  const options = trialsOf(signIns)
  const [signIn, setSignIn] = useState<string>()
  // With the rules that it is about: after a change it says nothing any more.
  const [tried, setTried] = useState<{ rows: RuleRow[]; outcome: Outcome }>()
  const { mutateAsync: attempt, isPending } = useTryRules(id)
  const chosen = signIn ?? options[0]?.value

  async function run() {
    const missing = faultIn(rows)
    if (missing) return setTried({ rows, outcome: { fault: missing.text } })
    if (chosen === undefined) return
    try {
      setTried({ rows, outcome: await attempt({ signIn: chosen, rules: rulesFrom(rows) }) })
    } catch (error) {
      setTried({ rows, outcome: { fault: ruleFault(error)?.text ?? 'The rules could not be tried' } })
    }
  }

  if (chosen === undefined)
    return <p className="text-muted">After the first sign-in, rules can be tried on it before they are saved.</p>
  const outcome = tried?.rows === rows ? tried.outcome : undefined
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-0 flex-1 basis-64">
          <FormRow label="Try on a sign-in">
            <Select
              value={chosen}
              onChange={(next) => {
                setSignIn(next)
                setTried(undefined)
              }}
              options={options}
            />
          </FormRow>
        </div>
        <Button onClick={() => void run()} loading={isPending}>
          Try Rules
        </Button>
      </div>
      <div aria-live="polite" className="empty:-mt-3">
        {outcome && <Effects outcome={outcome} />}
      </div>
    </div>
  )
}

function Effects({ outcome }: { outcome: Outcome }) {
  if ('fault' in outcome) return <Banner kind="error">{outcome.fault}</Banner>
  if (outcome.effects.length === 0) return <Banner>Nothing would change for this person.</Banner>
  return (
    <Banner>
      <ul className="flex flex-col gap-1">
        {outcome.effects.map((effect) => (
          <li key={effect}>{effect}</li>
        ))}
      </ul>
    </Banner>
  )
}
