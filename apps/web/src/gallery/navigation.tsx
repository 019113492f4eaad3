import { Boxes } from 'lucide-react'
import { Breadcrumb } from '../ui/Breadcrumb.tsx'
import { Html } from '../ui/Html.tsx'
import { Logo } from '../ui/Logo.tsx'
import { SideTabs } from '../ui/SideTabs.tsx'
import { TextAnchor, TextLink } from '../ui/TextLink.tsx'
import { Tooltip } from '../ui/Tooltip.tsx'
import { Row, Shelf } from './parts.tsx'

const markup = '<h2>Maintenance</h2><p>On Sunday, see <a href="https://example.com">the plan</a>.</p>'

export function Navigation() {
  return (
    <>
      <Shelf name="Breadcrumb">
        <Breadcrumb
          items={[
            { label: 'Oven line', to: '/application/oven-line', icon: <Boxes size={14} aria-hidden /> },
            { label: 'oven-line-prod' },
          ]}
        />
      </Shelf>
      <Shelf name="Side tabs">
        <SideTabs
          label="Settings"
          items={[
            { to: '/team/bakery/applications', label: 'General' },
            { to: '/environment', label: 'Environment' },
            { to: '/danger', label: 'Danger' },
          ]}
        >
          <p>What the chosen one shows.</p>
        </SideTabs>
      </Shelf>
      <Shelf name="Links in text, tooltip, logo">
        <Row>
          <TextLink to="/somewhere">A link inside</TextLink>
          <TextAnchor href="https://example.com">A link outside</TextAnchor>
          <Tooltip content="Only a hint">
            <button type="button" className="text-muted">
              With a tooltip
            </button>
          </Tooltip>
          <Logo />
          <Logo size={48} />
        </Row>
      </Shelf>
      <Shelf name="Text of an administrator">
        <Html html={markup} />
      </Shelf>
    </>
  )
}
