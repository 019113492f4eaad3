import type { ReactNode } from 'react'
import { useState } from 'react'
import { useCan } from '../../../lib/can.ts'
import { Button, ButtonLink } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { confirm } from '../../../ui/confirm.ts'
import { useCurrentInstance, useDeletion, useInstanceAction, deletionQuestion } from '../../instances/index.ts'
import { ImportDialog } from './ImportDialog.tsx'
import { MoveDialog } from './MoveDialog.tsx'
import { StackDialog } from './StackDialog.tsx'

/** Changes to the whole instance, and below them those that stop it [ISET-08]. */
export function DangerSections() {
  const instance = useCurrentInstance()
  const { id, meta, stack, projectType, application, name } = instance
  const mayEdit = useCan('project:edit')
  const mayChangeStatus = useCan('project:change-status')
  const mayDelete = useCan('project:delete')
  const mayCreate = useCan('project:create')
  /** The stack that the dialog begins with, while it is open. */
  const [choosing, setChoosing] = useState<string>()
  const [importing, setImporting] = useState(false)
  const mayMove = useCan('project:transfer')
  const [moving, setMoving] = useState(false)
  const { mutate: act } = useInstanceAction()
  const { remove, deleting } = useDeletion(id, application.id)
  const mayManage = mayEdit || mayCreate || mayMove
  return (
    <>
      {mayManage && (
        <Card title="Manage">
          {mayEdit && (
            <Section
              title="Change Instance Stack"
              text={`Currently ${stack.label || stack.name}. Flows, credentials and modules are kept.`}
            >
              {stack.replacedBy && (
                <Button disabled={!projectType.id} onClick={() => setChoosing(stack.replacedBy)}>
                  Update Stack
                </Button>
              )}
              <Button disabled={!projectType.id} onClick={() => setChoosing(stack.id)}>
                Change Stack
              </Button>
            </Section>
          )}
          {mayCreate && (
            <Section
              title="Copy Instance"
              text="A new instance with a copy of its flows, credentials, nodes and variables."
            >
              <ButtonLink to={`/application/${application.id}/instances/create`} search={{ sourceInstanceId: id }}>
                Duplicate Instance
              </ButtonLink>
            </Section>
          )}
          {mayEdit && (
            <Section title="Import Instance" text="Replace the flows with those from a file.">
              <Button onClick={() => setImporting(true)}>Import Instance</Button>
            </Section>
          )}
          {mayEdit && (
            <Section title="Change Instance Type" text="Switch to another instance type and one of its stacks.">
              <ButtonLink to={`/instance/${id}/settings/change-type`}>Change Instance Type</ButtonLink>
            </Section>
          )}
          {mayMove && (
            <Section
              title="Move Instance"
              text={`Currently in ${application.name}. It keeps its address and keeps running.`}
            >
              <Button onClick={() => setMoving(true)}>Move Instance</Button>
            </Section>
          )}
        </Card>
      )}
      {(mayChangeStatus || mayDelete) && (
        <div id="danger" className="scroll-mt-20">
          <Card title="Danger Zone">
            {mayChangeStatus && (
              <Section title="Suspend Instance" text="Stops Node-RED until somebody starts it again.">
                <Button disabled={meta.state === 'suspended'} onClick={() => act({ id, action: 'suspend' })}>
                  Suspend Instance
                </Button>
              </Section>
            )}
            {mayDelete && (
              <Section
                title="Delete Instance"
                text="Stops its flows. It can be restored for 7 days, and is then removed permanently."
              >
                <Button
                  variant="danger"
                  loading={deleting}
                  onClick={() => void confirm(deletionQuestion(name)).then((yes) => yes && remove())}
                >
                  Delete Instance
                </Button>
              </Section>
            )}
          </Card>
        </div>
      )}
      {importing && <ImportDialog onClose={() => setImporting(false)} />}
      <MoveDialog open={moving} onClose={() => setMoving(false)} />
      {choosing !== undefined && <StackDialog initial={choosing} onClose={() => setChoosing(undefined)} />}
    </>
  )
}

function Section({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <section className="flex flex-wrap items-center gap-x-6 gap-y-3 border-b p-4 last:border-0">
      <div className="min-w-60 flex-1">
        <h3 className="text-base font-semibold">{title}</h3>
        <p className="text-md text-muted">{text}</p>
      </div>
      {children}
    </section>
  )
}
