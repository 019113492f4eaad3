import { Outlet } from '@tanstack/react-router'
import { NoAccess } from '../../../lib/api-failure.tsx'
import { useUser } from '../../account/index.ts'

/** Around the pages about what instances are made of. */
export function CatalogueLayout() {
  const { admin } = useUser()
  return admin ? <Outlet /> : <NoAccess>Only administrators change what instances are made of.</NoAccess>
}
