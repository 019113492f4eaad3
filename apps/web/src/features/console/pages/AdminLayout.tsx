import { Outlet } from '@tanstack/react-router'
import { NoAccess } from '../../../lib/api-failure.tsx'
import { useUser } from '../../account/index.ts'

/** Around every page of administrators [ADM-02]. */
export function AdminLayout() {
  const { admin } = useUser()
  return admin ? <Outlet /> : <NoAccess>Only administrators of the platform see these pages.</NoAccess>
}
