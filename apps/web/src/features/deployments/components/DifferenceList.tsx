import type { Change, Difference, NodeChange } from '@app/contract'
import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { nodeCountsText } from '../../../lib/node-counts.ts'
import { plural } from '../../../lib/plural.ts'
import { Badge, type Tone } from '../../../ui/Badge.tsx'
import { LineDifference } from '../../../ui/flow/LineDifference.tsx'

/** More rows than anybody reads would only hold the page up. */
const mostNodes = 200
type Kind = NodeChange['change']
const tones: Record<Kind, Tone> = { added: 'ok', changed: 'warn', moved: 'busy', removed: 'bad' }
const words: Record<Kind, string> = { added: 'Added', changed: 'Changed', moved: 'Moved', removed: 'Removed' }

/** A list of differences: nodes with their properties, modules, and names of variables and settings. */
export function DifferenceList({ difference }: { difference: Difference }) {
  const { nodes, modules, env, settings, stack } = difference
  if (nodes.length + modules.length + env.length + settings.length === 0 && !stack)
    return <p className="text-muted">Nothing is different.</p>
  return (
    <div className="flex flex-col gap-4">
      {stack && (
        <Part title="Stack">
          <Row change="changed">
            {stack.old} → {stack.new}
          </Row>
        </Part>
      )}
      {nodes.length > 0 && (
        <Part title="Nodes" note={countsOf(nodes)}>
          {nodes.slice(0, mostNodes).map((node) => (
            <NodeRow key={node.id} node={node} />
          ))}
          {nodes.length > mostNodes && (
            <li className="px-3 py-2 text-muted">and {plural(nodes.length - mostNodes, 'more node')}</li>
          )}
        </Part>
      )}
      {modules.length > 0 && (
        <Part title="Modules">
          {modules.map(({ name, old, new: next }) => (
            <Row key={name} change={old === undefined ? 'added' : next === undefined ? 'removed' : 'changed'}>
              <span className="mono">{name}</span>
              <span className="mono ml-auto text-muted">{[old, next].filter(Boolean).join(' → ')}</span>
            </Row>
          ))}
        </Part>
      )}
      {env.length > 0 && (
        <Part title="Environment variables">
          {env.map(({ name, change }) => (
            <Row key={name} change={change}>
              <span className="mono">{name}</span>
            </Row>
          ))}
        </Part>
      )}
      {settings.length > 0 && (
        <Part title="Settings">
          {settings.map(({ key, change }) => (
            <Row key={key} change={change}>
              <span className="mono">{key}</span>
            </Row>
          ))}
        </Part>
      )}
    </div>
  )
}

function countsOf(nodes: readonly NodeChange[]): string {
  const count = (kind: Kind) => nodes.filter(({ change }) => change === kind).length
  return nodeCountsText({
    added: count('added'),
    changed: count('changed'),
    moved: count('moved'),
    removed: count('removed'),
  })
}

function Part({ title, note, children }: { title: string; note?: string; children: ReactNode }) {
  return (
    <section>
      <h3 className="mb-1.5 flex items-baseline gap-2 font-semibold">
        {title}
        {note && <span className="num text-md font-normal text-muted">{note}</span>}
      </h3>
      <ul className="divide-y overflow-hidden rounded-lg border bg-panel">{children}</ul>
    </section>
  )
}

function Row({ change, children }: { change: Change; children: ReactNode }) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
      <Badge tone={tones[change]}>{words[change]}</Badge>
      {children}
    </li>
  )
}

function NodeRow({ node }: { node: NodeChange }) {
  const { change, label, type, flow, moved, properties } = node
  const head = (
    <>
      <Badge tone={tones[change]}>{words[change]}</Badge>
      {moved && change !== 'moved' && <Badge tone={tones.moved}>{words.moved}</Badge>}
      <span className="min-w-0 font-medium break-words">{label}</span>
      <span className="min-w-0 text-md break-words text-muted">
        {label === type ? '' : type}
        {flow && type !== 'tab' ? `${label === type ? '' : ' '}in ${flow}` : ''}
      </span>
    </>
  )
  if (properties.length === 0)
    return <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 pl-8.5">{head}</li>
  return (
    <li>
      <details className="group">
        <summary className="flex cursor-pointer flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 -outline-offset-2 hover:bg-hover [&::-webkit-details-marker]:hidden">
          <ChevronRight size={14} aria-hidden className="-mr-1 text-muted group-open:rotate-90" />
          {head}
          <span className="mono ml-auto text-sm text-muted">{properties.map(({ key }) => key).join(', ')}</span>
        </summary>
        <div className="flex flex-col gap-2 border-t px-3 py-2.5">
          {properties.map(({ key, old, new: next }) => (
            <div key={key}>
              <div className="mono mb-1 text-sm font-semibold">{key}</div>
              {old === undefined && next === undefined ? (
                <p className="text-md text-muted">Different; the values are secret.</p>
              ) : (
                <LineDifference before={old ?? ''} after={next ?? ''} label={`${key} of ${label}, before and after`} />
              )}
            </div>
          ))}
        </div>
      </details>
    </li>
  )
}
