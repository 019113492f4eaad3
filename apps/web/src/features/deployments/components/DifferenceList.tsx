import type { Change, Difference } from '@app/contract'
import { type ReactNode, useState } from 'react'
import { Badge } from '../../../ui/Badge.tsx'
import { changeTones, changeWords } from '../change-looks.ts'
import { NodeDifferences } from './NodeDifferences.tsx'

/** Are nodes shown of which only the position differs? A drawing beside the list follows it. */
export type Moved = { moved: boolean; onMoved: (moved: boolean) => void }
export function useMoved(): Moved {
  const [moved, onMoved] = useState(false)
  return { moved, onMoved }
}

/** A list of differences: nodes with their properties, modules, and names of variables and settings. */
export function DifferenceList({ difference, moved, onMoved }: { difference: Difference } & Moved) {
  const { nodes, modules, env, settings, stack, names } = difference
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
      {nodes.length > 0 && <NodeDifferences nodes={nodes} names={names} moved={moved} onMoved={onMoved} />}
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

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3 className="mb-1.5 font-semibold">{title}</h3>
      <ul className="divide-y overflow-hidden rounded-lg border bg-panel">{children}</ul>
    </section>
  )
}

function Row({ change, children }: { change: Change; children: ReactNode }) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
      <Badge tone={changeTones[change]}>{changeWords[change]}</Badge>
      {children}
    </li>
  )
}
