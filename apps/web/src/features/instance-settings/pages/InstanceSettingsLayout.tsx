import { Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useCan } from '../../../lib/can.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { Button } from '../../../ui/Button.tsx'
import { SideTabs } from '../../../ui/SideTabs.tsx'
import { useFeatures } from '../../teams/index.ts'
import { useCurrentInstance, useInstanceAction } from '../../instances/index.ts'
import { everybody, settingsTabs } from '../tabs.ts'

/** Around the pages of an instance's settings. Who may not change them sees the first two [ISET-03] [ISET-06]. */
export function InstanceSettingsLayout() {
  const instance = useCurrentInstance()
  const mayEdit = useCan('project:edit')
  const navigate = useNavigate()
  const base = `/instance/${instance.id}/settings`
  const { pathname } = useLocation()
  // A person who leaves is at another address already while the page they go to is still being loaded.
  const page = pathname.startsWith(`${base}/`) ? pathname.slice(base.length + 1) : undefined
  const hasHa = useFeatures(instance.team.id)?.['ha'] === true
  const refused = !mayEdit && page !== undefined && !everybody.includes(page)
  useEffect(() => {
    if (refused) void navigate({ to: `${base}/general`, replace: true })
  }, [refused, navigate, base])
  if (refused) return null
  const items = settingsTabs({ mayEdit, hasHa }).map(({ path, label }) => ({ to: `${base}/${path}`, label }))
  return (
    <SideTabs label="Instance settings" items={items}>
      <RestartNotice />
      <Outlet />
    </SideTabs>
  )
}

/** Says that changed settings need a restart, and offers it. */
function RestartNotice() {
  const { id, meta } = useCurrentInstance()
  const mayRestart = useCan('project:change-status')
  const { mutate } = useInstanceAction()
  if (!meta.notInForce?.settings) return null
  return (
    <div className="mb-4">
      <Banner
        kind="info"
        action={
          mayRestart && (
            <Button size="sm" onClick={() => mutate({ id, action: 'restart' })}>
              Restart now
            </Button>
          )
        }
      >
        Saved settings take effect when Node-RED restarts.
      </Banner>
    </div>
  )
}
