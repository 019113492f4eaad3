import { useNavigate } from '@tanstack/react-router'
import { useOnce } from '../../../lib/use-once.ts'
import { LoadingScreen } from '../../../shell/Screens.tsx'
import { useLogout } from '../session.queries.ts'

/** Signs out and goes to /. */
export function LogoutPage() {
  const navigate = useNavigate()
  const { mutateAsync: signOut } = useLogout()
  useOnce(() => {
    const leave = () => void navigate({ to: '/', replace: true })
    signOut().then(leave, leave)
  })
  return <LoadingScreen />
}
