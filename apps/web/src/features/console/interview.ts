/** A talk that the makers of the platform ask for. */
export interface Invitation {
  flag: string
  invitationTitle: string
  invitationBody: string
  bookingLink: string
  closeText: string
  bookText: string
}

/** Where the browser remembers that it has asked. */
export const seenKey = 'ph-$interview-popup-seen'

/**
 * The invitation to show: of the first flag by name that begins with `interview-` and says all it has to [SHELL-07].
 * @param flags those that are on, each with its payload: an object, or the same as JSON.
 */
export function interviewOf(flags: ReadonlyMap<string, unknown>): Invitation | undefined {
  for (const flag of [...flags.keys()].filter((name) => name.startsWith('interview-')).toSorted()) {
    const { invitationTitle, invitationBody, bookingLink, closeText, bookText } = read(flags.get(flag))
    if (!invitationTitle || !invitationBody || !isWebAddress(bookingLink)) continue
    return {
      flag,
      invitationTitle,
      invitationBody,
      bookingLink,
      closeText: closeText || 'Close',
      bookText: bookText || 'Book Now',
    }
  }
  return undefined
}

type Payload = Partial<Record<Exclude<keyof Invitation, 'flag'>, string>>

function read(payload: unknown): Payload {
  if (typeof payload !== 'string') return payload ?? {}
  try {
    return (JSON.parse(payload) ?? {}) as Payload
  } catch {
    return {}
  }
}

/** The link comes from outside: nothing but a page may open. */
function isWebAddress(link: string | undefined): link is string {
  return link !== undefined && /^https?:\/\//i.test(link)
}
