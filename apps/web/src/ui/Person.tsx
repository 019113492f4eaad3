import { Avatar } from './Avatar.tsx'

/** Somebody in a cell of a table: picture, name and user name. */
export function Person({ name, username, avatar }: { name: string; username: string; avatar: string }) {
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
