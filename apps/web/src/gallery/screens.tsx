import { Box, Cpu, ExternalLink, Layers, Library, ScrollText, Settings, Users, Zap } from 'lucide-react'
import { Banner } from '../ui/Banner.tsx'
import { Tag } from '../ui/Badge.tsx'
import { Button, ButtonAnchor } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { DetailList } from '../ui/DetailList.tsx'
import { FormRow } from '../ui/FormRow.tsx'
import { Input } from '../ui/Input.tsx'
import { PasswordInput } from '../ui/PasswordInput.tsx'
import { StatusBadge } from '../ui/StatusBadge.tsx'
import { AppShell } from '../shell/AppShell.tsx'
import { BoxedLayout } from '../shell/BoxedLayout.tsx'
import { NotFound } from '../shell/NotFound.tsx'
import { PasswordExpired } from '../shell/PasswordExpired.tsx'
import { LoadingScreen, OfflineScreen, UnverifiedEmail } from '../shell/Screens.tsx'
import { StatusHeader } from '../shell/StatusHeader.tsx'
import { Terms } from '../shell/Terms.tsx'

const nothing = () => {}
const team = (name: string, slug: string) => ({ id: slug, name, to: `/team/${slug}/applications` })
const bakery = team('Example Bakery', 'bakery')
const teams = [
  bakery,
  team('Cold Chain', 'cold'),
  ...Array.from({ length: 9 }, (_, at) => team(`Plant ${at + 1}`, `plant-${at}`)),
]
const icon = { size: 16, 'aria-hidden': true }
const nav = [
  {
    items: [
      { to: '/team/bakery/applications', label: 'Applications', icon: <Layers {...icon} /> },
      { to: '/team/bakery/instances', label: 'Instances', icon: <Box {...icon} /> },
      {
        to: '/team/bakery/devices',
        label: 'Devices',
        icon: <Cpu {...icon} />,
        count: 3,
        avatar: { name: 'Example Bakery' },
      },
      { to: '/team/bakery/library', label: 'Library', icon: <Library {...icon} />, unavailable: true },
      { to: '/team/bakery/members', label: 'Members', icon: <Users {...icon} />, count: 0 },
    ],
  },
  {
    heading: 'Team admin',
    items: [
      { to: '/team/bakery/audit-log', label: 'Audit Log', icon: <ScrollText {...icon} /> },
      { to: '/team/bakery/settings', label: 'Team Settings', icon: <Settings {...icon} /> },
    ],
  },
]

function Shell({ empty }: { empty?: boolean }) {
  return (
    <AppShell
      teams={teams}
      currentTeam={bakery}
      createTeamTo="/team/create"
      user={{ name: 'Alice Example', username: 'alice' }}
      userItems={[{ label: 'Documentation', href: 'https://example.com', icon: <ExternalLink {...icon} /> }]}
      notifications={2}
      onSignOut={nothing}
      nav={nav}
      banner={empty ? undefined : <Banner flush>You are viewing this team as an Administrator</Banner>}
    >
      {empty ? <NotFound /> : <Instance />}
    </AppShell>
  )
}

function Instance() {
  const to = (page: string) => `/team/bakery/${page}`
  return (
    <>
      <StatusHeader
        label="Instance"
        breadcrumb={[{ label: 'Oven line', to: '/application/1', icon: <Layers {...icon} /> }]}
        title="oven-line-prod"
        badge={
          <>
            <StatusBadge state="running" />
            <Tag>2 replicas</Tag>
          </>
        }
        actions={
          <>
            <Button icon={<Zap size={16} />}>Actions</Button>
            <ButtonAnchor variant="primary" icon={<ExternalLink size={16} />} href="https://example.com">
              Open Editor
            </ButtonAnchor>
          </>
        }
        tabs={[
          { to: to('applications'), label: 'Overview' },
          { to: to('devices'), label: 'Devices' },
          { to: to('snapshots'), label: 'Snapshots' },
          { to: to('activity'), label: 'Audit Log' },
          { to: to('logs'), label: 'Node-RED Logs' },
          { to: to('settings'), label: 'Settings' },
        ]}
      />
      <Card title="Details" className="max-w-100">
        <DetailList
          items={[
            { label: 'Editor', value: <span className="mono text-accent-text">oven-line-prod.localhost:3000</span> },
            { label: 'Status', value: <StatusBadge state="running" /> },
            { label: 'Instance Type', value: 'Medium' },
            { label: 'Stack', value: 'Node-RED 5.0' },
            { label: 'Template', value: 'Default' },
          ]}
        />
      </Card>
    </>
  )
}

function Login() {
  return (
    <BoxedLayout title="Login" foot="Community Edition">
      <FormRow label="Username or email">
        <Input defaultValue="alice" />
      </FormRow>
      <FormRow label="Password" error="Required field">
        <PasswordInput autoComplete="off" />
      </FormRow>
      <Button variant="primary" className="h-9">
        Login
      </Button>
    </BoxedLayout>
  )
}

/** Whole screens, each alone in its frame. */
export const screens = {
  shell: () => <Shell />,
  'not-found': () => <Shell empty />,
  login: () => <Login />,
  offline: () => <OfflineScreen retry={nothing} />,
  loading: () => <LoadingScreen />,
  password: () => (
    <PasswordExpired
      username="alice"
      onSubmit={() => Promise.resolve({ root: 'Password change failed' })}
      onSignOut={nothing}
    />
  ),
  email: () => <UnverifiedEmail email="alice@example.com" onResend={nothing} onSignOut={nothing} />,
  terms: () => <Terms url="https://example.com/terms" onAccept={nothing} onSignOut={nothing} />,
}
