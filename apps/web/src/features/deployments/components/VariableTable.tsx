import type { VariableChange } from '@app/contract'
import { Badge } from '../../../ui/Badge.tsx'
import { changeTones, changeWords } from '../change-looks.ts'

type Variable = VariableChange['old']
const added = 'bg-ok-soft'

/** The types that the editor offers for variables, by the names it has for them. */
const types: Record<string, string> = {
  str: 'string',
  num: 'number',
  bool: 'boolean',
  json: 'JSON',
  bin: 'buffer',
  env: 'env variable',
  re: 'regular expression',
  cred: 'credential',
  jsonata: 'JSONata',
  'conf-type': 'config node',
}
const typeText = (type: string) => (Object.hasOwn(types, type) ? types[type]! : type)

/** Variables of a flow, group or subflow that differ: name, type, before and after. Secrets have no values. */
export function VariableTable({ variables, label }: { variables: readonly VariableChange[]; label: string }) {
  return (
    <div
      role="group"
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
      tabIndex={0}
      className="overflow-x-auto rounded-md border bg-page"
    >
      <table className="w-full text-left text-md">
        <thead className="border-b text-sm text-muted">
          <tr>
            {['Name', 'Type', 'Before', 'After'].map((head) => (
              <th key={head} scope="col" className="px-2.5 py-1.5 font-medium">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y">
          {variables.map(({ name, change, old, new: next }) => (
            <tr key={name} className="align-top">
              <th scope="row" className="min-w-32 px-2.5 py-1.5 font-normal">
                <span className="mono break-all">{name}</span>{' '}
                {change !== 'changed' && <Badge tone={changeTones[change]}>{changeWords[change]}</Badge>}
              </th>
              <td className="px-2.5 py-1.5">{typesText(old, next)}</td>
              <td className="min-w-28 px-2.5 py-1.5">
                <Value variable={old} other={next} look="bg-bad-soft" />
              </td>
              <td className="min-w-28 px-2.5 py-1.5">
                <Value variable={next} other={old} look={added} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function typesText(old: Variable, next: Variable): string {
  const [before, after] = [old && typeText(old.type), next && typeText(next.type)]
  return before !== undefined && after !== undefined && before !== after
    ? `${before} → ${after}`
    : (after ?? before ?? '')
}

function Value({ variable, other, look }: { variable: Variable; other: Variable; look: string }) {
  if (!variable) return <span className="text-muted">–</span>
  const { type, value, ui } = variable
  return (
    <>
      {type === 'cred' ? (
        <span className="text-muted">Secret{other?.type === 'cred' && look === added ? ', differs' : ''}</span>
      ) : value === undefined || value === '' ? (
        <span className="text-muted">empty</span>
      ) : (
        <span
          className={`mono box-decoration-clone rounded-xs px-0.5 break-all whitespace-pre-wrap ${value === other?.value ? '' : look}`}
        >
          {value}
        </span>
      )}
      {ui !== other?.ui && ui !== undefined && (
        <div className="mono mt-1 text-sm break-all text-muted">Input: {ui}</div>
      )}
    </>
  )
}
