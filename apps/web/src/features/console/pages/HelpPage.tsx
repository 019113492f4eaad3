import { useOnce } from '../../../lib/use-once.ts'
import { LoadingScreen } from '../../../shell/Screens.tsx'
import { useDocumentation } from '../documentation.ts'

/** Leads to the documentation, wherever the platform keeps it [SHELL-41]. */
export function HelpPage() {
  const address = useDocumentation()
  useOnce(() => location.replace(address))
  return <LoadingScreen />
}
