import { Boxes, Layers, Rocket } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Banner } from '../ui/Banner.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { confirm } from '../ui/confirm.ts'
import { DetailList } from '../ui/DetailList.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Direction } from '../ui/Direction.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { ErrorState, NotAllowed } from '../ui/ErrorState.tsx'
import { Loading } from '../ui/Loading.tsx'
import { EntryHeader, PageHeader, SectionTitle } from '../ui/PageHeader.tsx'
import { Progress } from '../ui/Progress.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { SkeletonCard, SkeletonText } from '../ui/Skeleton.tsx'
import { StatusBadge } from '../ui/StatusBadge.tsx'
import { type Step, Steps } from '../ui/Steps.tsx'
import { toast } from '../ui/toast.ts'
import { Row, Shelf } from './parts.tsx'

const now = Date.now()
const steps: Step[] = [
  { id: 'a', label: 'Address reserved', state: 'done', took: 12 },
  { id: 'b', label: 'Stack in place', state: 'done', took: 4200 },
  { id: 'c', label: 'Modules', state: 'now', progress: { value: 5, max: 8 } },
  { id: 'd', label: 'Flows loaded', state: 'todo' },
  { id: 'e', label: 'Answering', state: 'todo' },
]
const failed: Step[] = [
  { id: 'a', label: 'Address reserved', state: 'done', took: 9 },
  {
    id: 'b',
    label: 'Stack in place',
    state: 'failed',
    note: 'The registry did not answer. Check the network and try again.',
  },
  { id: 'c', label: 'Answering', state: 'todo' },
]
const remove = {
  title: 'Delete Instance',
  message: (
    <>
      This deletes <b>oven-line-dev</b> with its flows, logs and 12 snapshots. It can be restored for 7 days.
    </>
  ),
  confirmLabel: 'Delete',
  danger: true,
  typed: 'oven-line-dev',
}
const suspend = {
  title: 'Suspend Instance',
  message: (
    <>
      <b>oven-line-dev</b> stops and its address no longer answers.
    </>
  ),
  confirmLabel: 'Suspend',
}
const removeProvider = {
  title: 'Delete Configuration',
  message: (
    <>
      Nobody signs in through <b>Example Bakery</b> any more. Accounts stay.
    </>
  ),
  option: {
    label: 'Take back the roles that its rules gave',
    help: 'The only owner of a team keeps theirs.',
    onChange: () => {},
  },
  confirmLabel: 'Delete',
  danger: true,
}
const sayAll = () => {
  toast.success('Deployment of stage successful.', { detail: 'staging → production in 4.2 s', countdown: 60_000 })
  toast.info('Thanks for signing up to FlowForge!', { countdown: 60_000 })
  toast.warning('Request Failed: time-out', { countdown: 60_000 })
  toast.error('Instance start failed.', { detail: 'The stack is not installed.', countdown: 60_000 })
}

export function Feedback({ open }: { open: string | null }) {
  const [dialog, setDialog] = useState(open === 'dialog')
  useEffect(() => {
    if (open === 'confirm') void confirm(suspend)
    if (open === 'typed') void confirm(remove)
    if (open === 'option') void confirm(removeProvider)
    if (open === 'toasts') sayAll()
  }, [open])
  return (
    <>
      <Shelf name="Page header">
        <PageHeader
          title="Applications"
          description="3 applications, 8 instances, 6 running"
          actions={<Button variant="primary">Create Application</Button>}
        />
        <SectionTitle
          title="Provisioning tokens"
          note="Devices register themselves with these."
          action={<Button size="sm">Add Token</Button>}
        />
        <EntryHeader list={{ to: '/', label: 'History' }} title="Version of 12 May 2026, 14:03">
          <Button variant="primary">Restore</Button>
        </EntryHeader>
        <EntryHeader list={{ to: '/', label: 'History' }} />
      </Shelf>
      <Shelf name="Card and details">
        <Card
          title="Oven line"
          icon={<Layers size={16} aria-hidden />}
          note="3 instances"
          end={
            <Button variant="ghost" size="sm">
              Add Instance
            </Button>
          }
        >
          <DetailList
            items={[
              { label: 'Status', value: <StatusBadge state="running" /> },
              { label: 'Last Updated', value: <RelativeTime time={now - 130_000} /> },
              { label: 'Stack', value: 'Node-RED 5.0' },
              { label: 'Template', value: '' },
            ]}
          />
        </Card>
      </Shelf>
      <Shelf name="Steps and progress">
        <Steps title="oven-line-4" badge={<StatusBadge state="starting" />} startedAt={now - 200} steps={steps} />
        <Steps
          title="oven-line-5"
          badge={<StatusBadge state="error" />}
          startedAt={0}
          endedAt={65_000}
          steps={failed}
          end={<Button>Try again</Button>}
        />
        <Progress value={40} label="Upload" />
        <Progress label="Working" />
      </Shelf>
      <Shelf name="Banner">
        <Banner>You are viewing this team as an Administrator</Banner>
        <Banner kind="success">The licence has been applied.</Banner>
        <Banner kind="warning" action={<Button size="sm">Renew</Button>}>
          Your license will expire in 3 days.
        </Banner>
        <Banner kind="error">Your license has expired.</Banner>
      </Shelf>
      <Shelf name="Direction">
        <Direction
          from={{ name: 'Staging', note: 'oven-line-staging' }}
          to={{ name: 'Production', note: 'oven-line-prod' }}
        />
      </Shelf>
      <Shelf name="Dialog, confirm, toasts">
        <Row>
          <Button onClick={() => setDialog(true)}>Dialog</Button>
          <Button onClick={() => void confirm(suspend)}>Confirm</Button>
          <Button onClick={() => void confirm(remove)}>Confirm with a typed name</Button>
          <Button onClick={() => void confirm(removeProvider)}>Confirm with an option</Button>
          <Button onClick={sayAll}>Toasts</Button>
        </Row>
        <Dialog
          open={dialog}
          onClose={() => setDialog(false)}
          title="Enable Developer Mode"
          description="Flows are then edited on the device itself."
          footer={
            <>
              <Button onClick={() => setDialog(false)}>Cancel</Button>
              <Button variant="primary">Enable</Button>
            </>
          }
        >
          <p>The device no longer updates itself when a new snapshot becomes its target.</p>
        </Dialog>
      </Shelf>
      <Shelf name="States of a screen">
        <Card>
          <Loading />
        </Card>
        <SkeletonCard />
        <Card padded>
          <SkeletonText />
        </Card>
        <Card>
          <EmptyState
            icon={<Boxes />}
            title="Get Started with your First Node-RED Instance"
            action={
              <Button variant="primary" icon={<Rocket size={16} />}>
                Create Instance
              </Button>
            }
          >
            An instance is a Node-RED of its own, with its own address, flows and logs.
          </EmptyState>
        </Card>
        <Card>
          <ErrorState onRetry={() => toast.info('Trying again.')}>
            The instances of this team did not arrive. The server may be busy.
          </ErrorState>
        </Card>
        <Card>
          <NotAllowed>You need the role of Viewer or above. Ask an owner of this team.</NotAllowed>
        </Card>
      </Shelf>
    </>
  )
}
