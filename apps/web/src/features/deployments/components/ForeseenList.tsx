import type { Foreseen } from '@app/contract'
import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { namesOf, yesText } from '../foreseen-text.ts'
import { type InstallChoice, type Outlook, outlookOf } from '../install.ts'

const groups: { outlook: Outlook; title: string }[] = [
  { outlook: 'certain', title: 'Certain' },
  { outlook: 'possible', title: 'Possible' },
  { outlook: 'warning', title: 'Also check' },
]

/** Flows with these start, and nothing of them works. */
const startsAnyway = new Set<Foreseen['kind']>(['function', 'nodes'])

/**
 * Shows what is known before a deployment, worst first, with the modules that can be installed too. Certain problems
 * are accepted by deploying, possible ones one by one.
 */
export function ForeseenList({
  foreseen,
  install,
}: {
  foreseen: readonly Foreseen[]
  install?: InstallChoice | undefined
}) {
  if (foreseen.length === 0) return null
  const shown = groups
    .map((group) => ({ ...group, problems: foreseen.filter((one) => outlookOf(one) === group.outlook) }))
    .filter(({ problems }) => problems.length > 0)
  const isPlain = shown.every(({ outlook }) => outlook === 'warning')
  const accepted = install?.sent.allowStopped ?? []
  return (
    <section aria-label="Known problems" className="rounded-lg border">
      <h3 className="border-b px-3 py-2 font-semibold">Before you go on</h3>
      {shown.map(({ outlook, title, problems }) => (
        <div key={outlook} className="border-b last:border-b-0">
          {!isPlain && <h4 className="px-3 pt-2 text-sm font-medium text-muted">{title}</h4>}
          <ul aria-label={title} className="divide-y">
            {problems.map((one) => (
              <Problem key={`${one.kind} ${one.module?.name ?? ''} ${one.sentence}`} one={one} install={install} />
            ))}
          </ul>
        </div>
      ))}
      {accepted.length > 0 && (
        <p role="status" className="px-3 py-2 text-sm text-muted">
          {yesText(accepted.length)}
        </p>
      )}
    </section>
  )
}

function Problem({ one, install }: { one: Foreseen; install: InstallChoice | undefined }) {
  const isSolved = one.module !== undefined && install?.isChosen(one.module.name) === true
  const outlook = outlookOf(one)
  const { all, counted } = namesOf(one)
  return (
    <li className="flex gap-3 px-3 py-2">
      <Sign is={isSolved ? 'solved' : outlook} />
      <div className="flex min-w-0 flex-1 flex-col gap-1.5">
        <p className="break-words">
          {one.sentence}
          {outlook === 'certain' && !isSolved && !startsAnyway.has(one.kind) && ' Flows do not start like this.'}
        </p>
        {counted && (
          <details>
            <summary className="cursor-pointer text-sm">Show all {all.length}</summary>
            <ul aria-label="All" className="mono mt-1 flex flex-col gap-0.5 text-sm break-all">
              {all.map((name) => (
                <li key={name}>{name}</li>
              ))}
            </ul>
          </details>
        )}
        {one.node?.tab && !one.module && all.length < 2 && (
          <p className="text-muted text-sm">On {one.node.tab.label}</p>
        )}
        {one.module && install?.toggle && (
          <Checkbox
            checked={install.isChosen(one.module.name)}
            onChange={() => install.toggle?.(one.module!.name)}
            label={
              <>
                Install <span className="mono">{one.module.name}</span>
                {one.module.version !== '*' && <span className="mono text-muted"> {one.module.version}</span>} too
              </>
            }
          />
        )}
        {outlook === 'possible' && install && (
          <Checkbox
            checked={install.isAccepted(one)}
            onChange={() => install.accept(one)}
            label={
              <>
                Continue even if <Names names={all} /> {all.length === 1 ? 'is' : 'are'} missing
              </>
            }
          />
        )}
      </div>
    </li>
  )
}

/** Up to three names. A longer list is counted here, and unfolds above. */
function Names({ names }: { names: readonly string[] }) {
  if (names.length > 3) return <>these {names.length} types</>
  return <span className="mono break-all">{names.join(', ')}</span>
}

const signs = {
  solved: ['Solved', CircleCheck, 'text-ok-text'],
  certain: ['Flows do not start', CircleAlert, 'text-bad-text'],
  possible: ['Flows may not start', TriangleAlert, 'text-warn-text'],
  warning: ['Warning', TriangleAlert, 'text-warn-text'],
} as const

function Sign({ is }: { is: keyof typeof signs }) {
  const [label, Icon, ink] = signs[is]
  return <Icon size={16} aria-label={label} className={`mt-0.5 flex-none ${ink}`} />
}
