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
 * @param payloadOf what the analytics client holds for a flag; an object, or the same as JSON.
 */
export function interviewOf(flags: string[], payloadOf: (flag: string) => unknown): Invitation | undefined {
  for (const flag of flags.filter((name) => name.startsWith('interview-')).toSorted()) {
    const { invitationTitle, invitationBody, bookingLink, closeText, bookText } = read(payloadOf(flag))
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
