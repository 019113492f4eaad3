import type { Scope } from '@app/contract/scopes'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { useFieldLabel } from '../../../ui/field-context.ts'
import { readingScopes, scopeGroups } from '../scope-groups.ts'

/** The choice of scopes of a token: one by one, by group, or all that only read. */
export function ScopeChoice({ value, onChange }: { value: readonly string[]; onChange: (value: Scope[]) => void }) {
  const labelId = useFieldLabel()
  const chosen = new Set(value)
  function set(scopes: readonly Scope[], on: boolean) {
    const next = new Set(chosen)
    for (const scope of scopes) {
      if (on) next.add(scope)
      else next.delete(scope)
    }
    onChange([...next] as Scope[])
  }
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap gap-2">
        <Button size="sm" onClick={() => onChange(readingScopes)}>
          Read everything
        </Button>
        <Button size="sm" variant="ghost" onClick={() => onChange([])}>
          Clear
        </Button>
      </div>
      <div className="max-h-75 overflow-y-auto rounded-lg border" role="group" aria-labelledby={labelId}>
        {scopeGroups.map(({ title, scopes }) => {
          const names = scopes.map(({ scope }) => scope)
          const on = names.filter((scope) => chosen.has(scope)).length
          return (
            <div key={title} className="border-b px-3.5 py-3 last:border-0">
              <Checkbox
                checked={on === names.length}
                mixed={on > 0 && on < names.length}
                onChange={(next) => set(names, next)}
                label={<span className="font-medium">{title}</span>}
              />
              <div className="mt-2 flex flex-col gap-2 pl-6.5">
                {scopes.map(({ scope, means }) => (
                  <Checkbox
                    key={scope}
                    checked={chosen.has(scope)}
                    onChange={(next) => set([scope], next)}
                    label={means}
                    help={<span className="mono">{scope}</span>}
                  />
                ))}
              </div>
            </div>
          )
        })}
      </div>
    </div>
  )
}
