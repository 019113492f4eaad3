/**
 * The kinds of secret tokens that the platform gives out, each with the prefix by which it is known. Tokens are made
 * with one of these alone, and the proxy lets none of them pass to an instance: a new kind belongs here and is covered.
 */
export const tokenKinds = {
  /** An instance's token, for its calls to the platform. */
  fft: 'instance',
  /** A person's editor session, and the token that renews it. */
  ffu: 'editor',
  ffur: 'editor refresh',
  /** Tokens of a device, of its editor, and for its provisioning. */
  ffd: 'device',
  ffde: 'device editor',
  ffadp: 'device provisioning',
  /** Passwords at the broker, of devices and of instances. */
  ffbd: 'broker password of a device',
  ffbp: 'broker password of an instance',
  ffotc: 'one-time code of a device',
  ffpat: 'personal access',
  /** Token of a directory that provisions accounts. */
  ffscim: 'SCIM',
  /** In the session cookie; also the secret of an instance's sign-in client. */
  ffs: 'session',
  ffs2: 'second step of a sign-in',
  /** Authorization code of an editor sign-in. */
  ffc: 'authorization code',
  ffve: 'verification link',
  ffec: 'link for a new address',
  ffpr: 'password reset link',
  ffin: 'invitation code',
  /** Tokens of a browser in which a person has signed in before, and of one that began a sign-in to an editor. */
  ffb: 'known browser',
  ffsb: 'browser of an editor sign-in',
  /** A sign-in through a provider: the browser that began it, and one that waits for a password. */
  ffso: 'sign-in through a provider',
  ffsl: 'linking of a provider',
  setup: 'set-up link',
} as const

export type TokenPrefix = keyof typeof tokenKinds

/** The prefix of a sign-in client's id. It is no secret. */
export const clientPrefix = 'ffp'
