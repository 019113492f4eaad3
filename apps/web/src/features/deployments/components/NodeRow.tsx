import type { NodeChange, PropertyChange } from '@app/contract'
import { ChevronRight } from 'lucide-react'
import { Fragment, type KeyboardEvent, lazy, Suspense, useMemo, useState } from 'react'
import { Badge } from '../../../ui/Badge.tsx'
import { SkeletonText } from '../../../ui/Skeleton.tsx'
import { changeTones, changeWords } from '../change-looks.ts'
import { kindOf, type NodeNames, propertyTexts, titleOf } from '../property-text.ts'
import { VariableTable } from './VariableTable.tsx'

/** Brings the library that compares texts, which is needed only once a node is opened. */
const LineDifference = lazy(async () => ({
  default: (await import('../../../ui/flow/LineDifference.tsx')).LineDifference,
}))

/** A node that differs; opened, it shows its properties before and after. */
export function NodeRow({ node, names }: { node: NodeChange; names: NodeNames }) {
  const { label, properties } = node
  const [open, setOpen] = useState(false)
  if (properties.length === 0)
    return (
      <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 pl-8.5">
        <Head node={node} names={names} />
      </li>
    )
  return (
    <li>
      <details className="group" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary
          onKeyDown={walk}
          className="flex cursor-pointer flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 -outline-offset-2 hover:bg-hover [&::-webkit-details-marker]:hidden"
        >
          <ChevronRight size={14} aria-hidden className="-mr-1 text-muted group-open:rotate-90" />
          <Head node={node} names={names} />
          <span className="ml-auto text-sm text-muted">
            {properties.map(({ key }, at) => (
              <Fragment key={key}>
                {at > 0 && ', '}
                {titleOf(key) ?? <span className="mono">{key}</span>}
              </Fragment>
            ))}
          </span>
        </summary>
        {open && (
          <div className="flex flex-col gap-3 border-t px-3 py-2.5">
            {properties.map((property) => (
              <Property key={property.key} property={property} label={label} names={names} />
            ))}
          </div>
        )}
      </details>
    </li>
  )
}

/** Arrow keys, Home and End go from one node of the list that can be opened to another. */
function walk(event: KeyboardEvent<HTMLElement>) {
  const all = [...(event.currentTarget.closest('ul')?.querySelectorAll('summary') ?? [])]
  const at = all.indexOf(event.currentTarget)
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key]
  if (next === undefined) return
  event.preventDefault()
  all[next]?.focus()
}

function Head({ node, names }: { node: NodeChange; names: NodeNames }) {
  const { change, label, type, flow, moved } = node
  const kind = label === type ? '' : kindOf(type, names)
  return (
    <>
      <Badge tone={changeTones[change]}>{changeWords[change]}</Badge>
      {moved && change !== 'moved' && <Badge tone={changeTones.moved}>{changeWords.moved}</Badge>}
      <span className="min-w-0 font-medium break-words">{label}</span>
      <span className="min-w-0 text-md break-words text-muted">
        {[kind, flow && type !== 'tab' ? `in ${flow}` : ''].filter(Boolean).join(' ')}
      </span>
    </>
  )
}

function Property({ property, label, names }: { property: PropertyChange; label: string; names: NodeNames }) {
  const { key, variables } = property
  const title = titleOf(key)
  return (
    <div>
      <div className="mb-1 flex items-baseline gap-2 text-sm">
        {title && <span className="font-semibold">{title}</span>}
        <span className={`mono ${title ? 'text-muted' : 'font-semibold'}`}>{key}</span>
      </div>
      {variables ? (
        <VariableTable variables={variables} label={`Variables of ${label}, before and after`} />
      ) : property.old === undefined && property.new === undefined ? (
        <p className="text-md text-muted">Different. The values are secret.</p>
      ) : (
        <Texts property={property} label={label} names={names} />
      )}
    </div>
  )
}

function Texts({ property, label, names }: { property: PropertyChange; label: string; names: NodeNames }) {
  const { old, new: next } = useMemo(() => propertyTexts(property, names), [property, names])
  return (
    <Suspense fallback={<SkeletonText />}>
      <LineDifference before={old ?? ''} after={next ?? ''} label={`${property.key} of ${label}, before and after`} />
    </Suspense>
  )
}
