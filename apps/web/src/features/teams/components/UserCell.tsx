import type { Member } from '@app/contract'
import { Avatar } from '../../../ui/Avatar.tsx'

/** A person in a table of members: picture, name and user name. */
export function UserCell({ name, username, avatar }: Pick<Member, 'name' | 'username' | 'avatar'>) {
  return (
    <span className="flex items-center gap-2.5">
      <Avatar name={name || username} src={avatar} />
      <span className="min-w-0">
        <span className="block truncate">{name || username}</span>
        <span className="block truncate text-sm font-normal text-muted">{username}</span>
      </span>
    </span>
  )
}
