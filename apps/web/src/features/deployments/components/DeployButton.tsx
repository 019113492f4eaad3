import { Button } from '../../../ui/Button.tsx'
import type { InstallChoice } from '../install.ts'

/** Begins a deployment. Where it is known that its flows will not run, it says so: pressing it is the yes to that. */
export function DeployButton({
  verb,
  choice,
  ...rest
}: {
  /** The action, such as "Push". */
  verb: string
  choice: InstallChoice
  disabled: boolean
  loading: boolean
  onClick: () => void
}) {
  return (
    <Button variant={choice.stops ? 'danger' : 'primary'} {...rest}>
      {choice.stops ? `${verb} anyway` : verb}
    </Button>
  )
}
