import { ChevronDown, Layers, Plus } from 'lucide-react'
import { useId, useState } from 'react'
import { cn } from '../../../lib/cn.ts'
import { useCan } from '../../../lib/can.ts'
import { plural } from '../../../lib/plural.ts'
import { ButtonLink } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { RouterLink } from '../../../ui/RouterLink.tsx'
import type { ApplicationWithStates } from '../applications.queries.ts'
import { InstanceLine } from './InstanceLine.tsx'

/** An application in its team's list, with its instances, which can be folded away. */
export function ApplicationCard({ application, charts }: { application: ApplicationWithStates; charts: boolean }) {
  const { id, name, instances } = application
  const [open, setOpen] = useState(true)
  const mayCreate = useCan('project:create')
  const listId = useId()
  return (
    <Card
      icon={<Layers size={16} aria-hidden className="text-muted" />}
      title={
        <RouterLink to={`/application/${id}/instances`} className="rounded-sm break-words hover:underline">
          {name}
        </RouterLink>
      }
      note={plural(instances.length, 'instance')}
      end={
        <>
          {mayCreate && (
            <ButtonLink
              to={`/application/${id}/instances/create`}
              variant="ghost"
              size="sm"
              icon={<Plus size={16} aria-hidden />}
              aria-label={`Add instance to ${name}`}
            >
              <span className="max-sm:hidden">Add Instance</span>
            </ButtonLink>
          )}
          {instances.length > 0 && (
            <IconButton
              size="sm"
              label={open ? `Collapse ${name}` : `Expand ${name}`}
              aria-controls={listId}
              onClick={() => setOpen(!open)}
            >
              <ChevronDown size={16} aria-hidden className={cn('transition-transform', open && 'rotate-180')} />
            </IconButton>
          )}
        </>
      }
    >
      {instances.length > 0 && (
        <ul id={listId} hidden={!open} aria-label={`Instances of ${name}`} className="divide-y">
          {instances.map((instance) => (
            <InstanceLine key={instance.id} instance={instance} charts={charts} />
          ))}
        </ul>
      )}
    </Card>
  )
}
