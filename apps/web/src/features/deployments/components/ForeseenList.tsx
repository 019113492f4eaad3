import type { Foreseen } from '@app/contract'
import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import type { InstallChoice } from '../install.ts'

/** Shows what is known before a deployment, worst first, with the modules that can be installed too. */
export function ForeseenList({
  foreseen,
  install,
}: {
  foreseen: readonly Foreseen[]
  install?: InstallChoice | undefined
}) {
  if (foreseen.length === 0) return null
  return (
    <section aria-label="Known problems" className="rounded-lg border">
      <h3 className="border-b px-3 py-2 font-semibold">Before you go on</h3>
      <ul>
        {foreseen.map((one) => (
          <li
            key={`${one.kind} ${one.module?.name ?? ''} ${one.sentence}`}
            className="flex gap-3 border-b px-3 py-2 last:border-0"
          >
            <Sign outlook={outlookOf(one, install)} />
            <div className="flex min-w-0 flex-1 flex-col gap-1.5">
              <p className="break-words">
                {one.sentence}
                {outlookOf(one, install) === 'stops' && ' Flows do not start like this.'}
              </p>
              {one.node?.tab && !one.module && <p className="text-muted text-sm">On {one.node.tab.label}</p>}
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
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

type Outlook = 'solved' | 'stops' | 'warning'

/** Solved by what is installed too; otherwise flows may not start. */
function outlookOf({ stops, module }: Foreseen, install: InstallChoice | undefined): Outlook {
  if (module && install?.isChosen(module.name)) return 'solved'
  return stops === true ? 'stops' : 'warning'
}

const signs = {
  solved: ['Solved', CircleCheck, 'text-ok-text'],
  stops: ['Flows do not start', CircleAlert, 'text-bad-text'],
  warning: ['Warning', TriangleAlert, 'text-warn-text'],
} as const

function Sign({ outlook }: { outlook: Outlook }) {
  const [label, Icon, ink] = signs[outlook]
  return <Icon size={16} aria-label={label} className={`mt-0.5 flex-none ${ink}`} />
}
