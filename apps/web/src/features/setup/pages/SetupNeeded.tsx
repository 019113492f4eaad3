import { usePageTitle } from '../../../lib/page-title.ts'
import { Terminal } from 'lucide-react'
import { Whole } from '../../../shell/Screens.tsx'

/** Stands before everything while the platform has no administrator: only who holds the link may go on. */
export function SetupNeeded() {
  usePageTitle('Set up')
  return (
    <Whole
      icon={<Terminal size={20} />}
      title="This platform is not set up yet"
      message="Open the set-up link that the server printed in its terminal when it started. Each start prints a new one."
    />
  )
}
