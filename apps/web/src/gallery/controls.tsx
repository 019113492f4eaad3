import { MoreHorizontal, Pencil, Play, Plus, RotateCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Avatar } from '../ui/Avatar.tsx'
import { Badge, CountPill, Tag } from '../ui/Badge.tsx'
import { Button, ButtonAnchor, ButtonLink } from '../ui/Button.tsx'
import { Copyable, CopyButton } from '../ui/CopyButton.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { Kbd } from '../ui/Kbd.tsx'
import { Menu } from '../ui/Menu.tsx'
import { Person } from '../ui/Person.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { Spinner } from '../ui/Spinner.tsx'
import { StatusBadge } from '../ui/StatusBadge.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import { toast } from '../ui/toast.ts'
import { Row, Shelf } from './parts.tsx'

const now = Date.now()
const states =
  'running safe error crashed suspended stopped starting stopping suspending restarting importing loading installing offline never unknown'

export function Controls({ open }: { open: string | null }) {
  const [range, setRange] = useState('all')
  return (
    <>
      <Shelf name="Button">
        {(['md', 'sm'] as const).map((size) => (
          <div key={size} className="flex flex-col gap-3">
            <Row>
              <Button variant="primary" size={size} icon={<Plus size={16} />}>
                Create Application
              </Button>
              <Button size={size}>Cancel</Button>
              <Button variant="danger" size={size} icon={<Trash2 size={16} />}>
                Delete
              </Button>
              <Button variant="ghost" size={size}>
                More...
              </Button>
            </Row>
            <Row>
              <Button variant="primary" size={size} loading>
                Creating
              </Button>
              <Button size={size} loading>
                Saving
              </Button>
              <Button variant="primary" size={size} disabled>
                Create Application
              </Button>
              <Button size={size} disabled>
                Cancel
              </Button>
              <Button variant="danger" size={size} disabled>
                Delete
              </Button>
            </Row>
          </div>
        ))}
        <Row>
          <ButtonLink to="/somewhere">A link inside</ButtonLink>
          <ButtonAnchor href="https://example.com">A link outside</ButtonAnchor>
          <ButtonAnchor>No address</ButtonAnchor>
          <ButtonAnchor wide href="https://example.com">
            A link outside over the whole width
          </ButtonAnchor>
          <IconButton label="Edit">
            <Pencil size={16} />
          </IconButton>
          <IconButton label="More" size="sm" disabled>
            <MoreHorizontal size={16} />
          </IconButton>
        </Row>
      </Shelf>
      <Shelf name="Status badge">
        <Row>
          {states.split(' ').map((state) => (
            <StatusBadge key={state} state={state} />
          ))}
        </Row>
        <Row>
          <StatusBadge state="starting" pending />
          <StatusBadge state="suspending" pending />
          <StatusBadge state={undefined} />
        </Row>
      </Shelf>
      <Shelf name="Badge, tag, count, key, spinner, avatar, person">
        <Row>
          <Badge tone="ok">active</Badge>
          <Badge tone="busy" turning>
            deploying
          </Badge>
          <Badge tone="warn">expiring</Badge>
          <Badge tone="bad">expired</Badge>
          <Badge>none</Badge>
          <Tag>2 replicas</Tag>
          <Tag>7</Tag>
          <CountPill count={3} label="invitations" />
          <CountPill count={120} label="invitations" />
          <Kbd>Ctrl K</Kbd>
          <Spinner label="Loading" />
          <Avatar name="Alice Example" />
          <Avatar name="Example Bakery" shape="square" />
          <Avatar name="bob" size={32} />
          <Person name="Alice Example" username="alice" avatar="" />
          <Person name="" username="bob" avatar="" />
        </Row>
      </Shelf>
      <Shelf name="Menus">
        <Row>
          <Menu
            open={open === 'menu' ? true : undefined}
            align="start"
            trigger={<Button>Actions</Button>}
            items={[
              { heading: 'oven-line-prod' },
              { label: 'Start', icon: <Play size={16} />, obstacle: 'The instance is running.' },
              { label: 'Restart', icon: <RotateCw size={16} />, onSelect: () => toast.success('Restarting.') },
              'divider',
              { label: 'Delete Instance', icon: <Trash2 size={16} />, danger: true },
            ]}
          />
          <Menu
            trigger={<Button>A long list</Button>}
            align="start"
            items={[{ list: Array.from({ length: 20 }, (_, index) => ({ label: `Team ${index + 1}` })) }]}
          />
        </Row>
      </Shelf>
      <Shelf name="Tabs, segmented, copy, time">
        <Tabs
          label="Instance"
          items={[
            { to: '/team/bakery/applications', label: 'Overview' },
            { to: '/devices', label: 'Devices' },
            { to: '/snapshots', label: 'Snapshots' },
            { to: '/invitations', label: 'Invitations', count: 2 },
            { to: '/settings', label: 'Settings' },
          ]}
        />
        <Row>
          <Segmented
            label="Level"
            value={range}
            onChange={setRange}
            options={['all', 'info', 'warn', 'error'].map((value) => ({ value, label: value }))}
          />
          <CopyButton text="npm start" what="command" label="Copy to Clipboard" />
          <Copyable text="01926b3e-7f2a-7c11-b3a5-5f1f6a0e9a77" what="instance ID" />
          <RelativeTime time={now - 130_000} />
          <RelativeTime time={now - 90_000_000} />
        </Row>
      </Shelf>
    </>
  )
}
