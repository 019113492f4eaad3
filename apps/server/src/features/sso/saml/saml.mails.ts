import { type Letter, quoted } from '../../mail/index.ts'

interface Person {
  name: string
  email: string
}

const dayMs = 86_400_000
const day = (time: number) => new Date(time).toISOString().slice(0, 10)

/** Letters about SAML providers. They go to administrators. */
export const letters = {
  /** `left`: milliseconds until the certificate expires; less than 0 when it has. */
  certificateExpires: (person: Person, provider: string, expiresAt: number, left: number, url: string): Letter => {
    const days = Math.ceil(left / dayMs)
    const when = left <= 0 ? 'has expired' : `expires in ${days === 1 ? '1 day' : `${days} days`}`
    return {
      to: person.email,
      subject: `A certificate for single sign-on ${when}`,
      paragraphs: [
        `Hello ${quoted(person.name)},`,
        `The signing certificate of the provider ${quoted(provider)} ${left <= 0 ? 'expired' : 'expires'} on ${day(expiresAt)}.`,
        'Providers replace such a certificate. From then on nobody can sign in through this one until its new certificate is entered here.',
        'Import the metadata of the provider again, or enter the new certificate as “Next certificate”. Both count during the exchange.',
      ],
      link: { label: 'Open the configuration', url },
    }
  },
}
