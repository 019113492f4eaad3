import { usePageTitle } from '../../../lib/page-title.ts'
import { useCurrentInstance } from '../../instances/index.ts'
import { DangerSections } from '../components/DangerSections.tsx'

/** The lower part of the general settings at an address of its own [ISET-07]. */
export function DangerSettingsPage() {
  usePageTitle('Danger', useCurrentInstance().name)
  return <DangerSections />
}
