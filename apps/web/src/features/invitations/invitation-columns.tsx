import type { Invitation } from '@app/contract'
import type { MenuEntry } from '../../ui/Menu.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { RowMenu } from '../../ui/RowMenu.tsx'
import type { Column } from '../../ui/Table.tsx'
import { inviteeName } from './inviter.ts'

/** Time left to answer an invitation, in every list of them. */
export const expiryColumn: Column<Invitation> = {
  id: 'expires',
  header: 'Expires In',
  value: ({ expiresAt }) => expiresAt,
  cell: ({ expiresAt }) => <RelativeTime time={expiresAt} />,
}

/** The menu of those who may change invitations. */
export const menuColumn = (entries: (invitation: Invitation) => MenuEntry[]): Column<Invitation> => ({
  id: 'menu',
  header: '',
  align: 'end',
  width: 'w-14',
  cell: (invitation) => <RowMenu name={inviteeName(invitation)} items={entries(invitation)} />,
})
