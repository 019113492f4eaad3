import { type Letter, quoted } from '../mail/index.ts'

interface Person {
  email: string
  name: string
}

const hello = ({ name }: Person) => `Hello ${quoted(name)},`
const notYou =
  'If this was not you, change your password, check your second factors and sessions, and tell an administrator of the platform.'
const kinds = { app: 'An authenticator app', passkey: 'A passkey' }

/** Mails about changed second factors, so that nobody else changes them unseen. */
export const letters = {
  added: (user: Person, { kind, name }: { kind: 'app' | 'passkey'; name: string }): Letter => ({
    to: user.email,
    subject: 'A second factor was added',
    paragraphs: [
      hello(user),
      `${kinds[kind]} was added to your account on FlowForge${kind === 'passkey' ? `, with the name ${quoted(name)}` : ''}. All other sessions have ended.`,
      notYou,
    ],
  }),

  removed: (user: Person, { kind, name }: { kind: 'app' | 'passkey'; name: string }, left: boolean): Letter => ({
    to: user.email,
    subject: 'A second factor was removed',
    paragraphs: [
      hello(user),
      `${kinds[kind]} was removed from your account on FlowForge${kind === 'passkey' ? `, the one with the name ${quoted(name)}` : ''}. ${left ? 'Your other second factors still work.' : 'It was the last one: your password alone signs you in.'} All other sessions have ended.`,
      notYou,
    ],
  }),

  taken: (user: Person): Letter => ({
    to: user.email,
    subject: 'Your second factors were removed',
    paragraphs: [
      hello(user),
      'An administrator removed all second factors from your account on FlowForge, and all sessions have ended. Your password alone signs you in until you add one again.',
      'If you did not ask for that, tell an administrator of the platform.',
    ],
  }),

  recoveryCodes: (user: Person): Letter => ({
    to: user.email,
    subject: 'New recovery codes were created',
    paragraphs: [
      hello(user),
      'New recovery codes were created for your account on FlowForge. The former ones no longer work.',
      notYou,
    ],
  }),

  recoveryCodeUsed: (user: Person, left: number): Letter => ({
    to: user.email,
    subject: 'A recovery code signed you in',
    paragraphs: [
      hello(user),
      `Somebody, probably you, signed in to your account on FlowForge with the password and a recovery code. ${left} of them ${left === 1 ? 'is' : 'are'} left.`,
      notYou,
    ],
  }),
}
