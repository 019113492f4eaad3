import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { LoadingScreen } from '../../../shell/Screens.tsx'
import { useLogout } from '../account.queries.ts'

/** Signs out and goes to /. */
export function LogoutPage() {
  const navigate = useNavigate()
  const { mutateAsync: signOut } = useLogout()
  const begun = useRef(false)
  useEffect(() => {
    if (begun.current) return
    begun.current = true
    const leave = () => void navigate({ to: '/', replace: true })
    signOut().then(leave, leave)
  }, [signOut, navigate])
  return <LoadingScreen />
}
